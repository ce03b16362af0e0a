/** Most bytes a skill file may have: as many as a request can bring. */
export const MAX_SKILL_BYTES = 1024 * 1024;

/** What lies in the skills folder under one name. */
export interface FolderEntry {
  /** The name; bytes that are no UTF-8 are shown as U+FFFD. */
  readonly name: string;
  readonly size: number;
  /** In ms since the epoch. */
  readonly modifiedAt: number;
  /** Why this is no file the service would touch; absent for a regular file of bearable size. */
  readonly irregular?: string;
}

export interface SkillFile {
  readonly bytes: Buffer;
  /** In ms since the epoch. */
  readonly modifiedAt: number;
}

/** New content, written out and safe on the disk, but not yet under a name anybody sees. */
export interface StagedFile extends SkillFile {
  /** Puts it under this name at one stroke, in place of what was there. */
  placeAs(name: string): Promise<void>;
  /** Removes it unless it was placed. Never rejects. */
  discard(): Promise<void>;
}

/**
 * The skills folder. It is the truth: nothing about skills is kept anywhere else, and files that others put there appear.
 * Names are plain file names that the caller has checked. Symbolic links are never followed.
 * A folder that is absent is an empty one, and is made when something is staged.
 * Errors of every operation: `component_unavailable` (no permission, no folder where one should be), `storage_full`.
 */
export interface SkillFiles {
  /** Runs `work` alone: one change, or one look at the whole folder, at a time within this process. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Everything that lies there, by name; hidden entries and Python's own cache folder are left out. */
  list(): Promise<readonly FolderEntry[]>;
  /** What lies under one name, or undefined. */
  find(name: string): Promise<FolderEntry | undefined>;
  /** The content of a regular file, or undefined where there is none. */
  read(name: string): Promise<SkillFile | undefined>;
  stage(bytes: Buffer): Promise<StagedFile>;
  /** Renames; `already_exists` when something lies under the new name. */
  move(from: string, to: string): Promise<void>;
  /** Renames in place of what lies under the new name, at one stroke. */
  moveOver(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Makes the changes to the folder itself safe on the disk. */
  settle(): Promise<void>;
}
