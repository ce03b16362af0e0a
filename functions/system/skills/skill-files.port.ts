/** Equal to the limit on request bodies. */
export const MAX_SKILL_BYTES = 1024 * 1024;

/** An entry of the skills folder. */
export interface FolderEntry {
  /** Invalid UTF-8 is shown as U+FFFD. */
  readonly name: string;
  readonly size: number;
  /** In ms since the epoch. */
  readonly modifiedAt: number;
  /** Why the service does not touch this entry; absent for a regular file within the size limit. */
  readonly irregular?: string;
}

export interface SkillFile {
  readonly bytes: Buffer;
  /** In ms since the epoch. */
  readonly modifiedAt: number;
}

/** New content, synced to disk but not yet visible under its name. */
export interface StagedFile extends SkillFile {
  /** Atomically moves it to this name, replacing any existing file. */
  placeAs(name: string): Promise<void>;
  /** Removes it unless it has been placed. Never rejects. */
  discard(): Promise<void>;
}

/**
 * The skills folder is the single source of truth: nothing about skills is stored elsewhere, and files added by others
 * show up. Names are plain file names that the caller has checked. Symbolic links are never followed. A missing folder
 * counts as empty, and is created when something is staged.
 * @throws ServiceError `component_unavailable` (no permission, or not a folder), `storage_full`.
 */
export interface SkillFiles {
  /**
   * Runs `work` that changes the folder exclusively, and not while a restore replaces all of the folder.
   * Error: busy, when that takes long.
   */
  change<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` exclusively: one change or listing at a time within this process. */
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
  /** All entries, sorted by name, without hidden ones and Python's cache folder. */
  list(): Promise<readonly FolderEntry[]>;
  find(name: string): Promise<FolderEntry | undefined>;
  /** The content of a regular file; undefined if there is none. */
  read(name: string): Promise<SkillFile | undefined>;
  stage(bytes: Buffer): Promise<StagedFile>;
  /** Renames. @throws ServiceError `already_exists` if the new name is taken. */
  move(from: string, to: string): Promise<void>;
  /** Renames atomically, replacing any existing file. */
  moveOver(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Syncs changes to the folder itself to disk. */
  syncFolder(): Promise<void>;
}
