/** The disk that the service keeps its data on. */
export interface Disk {
  /** How full it is; undefined where there is none, or it cannot be told. */
  usage(): DiskUsage | undefined;
}

export interface DiskUsage {
  readonly free_bytes: number;
  readonly total_bytes: number;
  /** False when nothing may be added to one of the service's disks. */
  readonly ok: boolean;
}
