/** Where the database and what belongs to it lie. Plain data: it is handed to the threads. */
export interface Storage {
  /** Absolute path of the database file. */
  readonly file: string;
  readonly backupDir: string;
  readonly exportDir: string;
  /** Most bytes that snapshots younger than 7 days may fill. */
  readonly backupMaxBytes: number;
}
