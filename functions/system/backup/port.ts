import type { Readable } from 'node:stream';

/** The robot's database, as the archives need it; provided by the host. */
export interface DatabaseFiles {
  /** Version of its schema. */
  readonly schemaVersion: number;
  /**
   * Writes the database as it is at one moment to a new file (0600), beside any write.
   * Errors: component_unavailable, storage_full.
   */
  copyTo(path: string): Promise<void>;
}

/** The whole robot in one file. */
export interface RobotArchives {
  /**
   * Packs the robot as it is: a `.tar.gz`, made as it is read. Must be consumed or destroyed.
   * Errors: busy, when one is being packed already; storage_full; component_unavailable.
   */
  pack(): Promise<Readable>;
}
