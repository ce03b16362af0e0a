import type { Readable } from 'node:stream';

/** An open file of the robot's description. Who opened it closes it, or reads the stream to its end or destroys it. */
export interface DescriptionFile {
  /** Bytes. */
  readonly size: number;
  /** ms since the epoch. */
  readonly modifiedAt: number;
  /** A strong entity tag: it changes whenever the file is written. */
  readonly etag: string;
  /** The bytes from `start` to `end`, both inclusive, as they are read; closes the file. */
  stream(start: number, end: number): Readable;
  /** The whole content; closes the file. */
  read(): Promise<Buffer>;
  close(): Promise<void>;
}

/** The folder of URDF and meshes. Paths are relative to it, with slashes. */
export interface DescriptionFiles {
  /**
   * The regular file at a path, or undefined: also for paths that leave the folder, by `..` or by a link, and for hidden
   * files.
   */
  open(path: string): Promise<DescriptionFile | undefined>;
  /** Whether `open` would find a file. */
  has(path: string): Promise<boolean>;
}
