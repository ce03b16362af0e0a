/** The database as one file that can be taken elsewhere. */
export interface DatabaseFiles {
  /** Version of the schema that this release knows. */
  readonly schemaVersion: number;
  /**
   * Writes the database as it is at one moment to a new file (0600), beside any write.
   * Errors: component_unavailable, storage_full.
   */
  copyTo(path: string): Promise<void>;
}
