import type { Readable } from 'node:stream';

/** An open file of the robot description. The opener must close it, or consume or destroy its stream. */
export interface DescriptionFile {
  /** Bytes. */
  readonly size: number;
  /** ms since the epoch. */
  readonly modifiedAt: number;
  /** A strong entity tag: it changes whenever the file is written. */
  readonly etag: string;
  /** Streams the bytes from `start` to `end`, both inclusive, then closes the file. */
  stream(start: number, end: number): Readable;
  /** Reads the whole content, then closes the file. */
  read(): Promise<Buffer>;
  close(): Promise<void>;
}

/** The folder of URDF and meshes. Paths are relative to it, with slashes. */
export interface DescriptionFiles {
  /**
   * Opens the regular file at a path. Undefined if there is none, if the path leaves the folder (by `..` or a link), or
   * if it is hidden.
   */
  open(path: string): Promise<DescriptionFile | undefined>;
  /** Whether `open` would find a file. */
  has(path: string): Promise<boolean>;
  /** Paths of the URDFs, sorted; of a folder with very many files only the first ones that are found. */
  list(): Promise<readonly string[]>;
}
