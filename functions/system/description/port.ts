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

/** A file on its way in, invisible until it is placed. */
export interface IncomingFile {
  /** @throws ServiceError `storage_full` before it touches what is reserved. */
  write(chunk: Buffer): Promise<void>;
  /**
   * Puts it at its path, synced to disk, in place of any file there. @returns whether there was one.
   * @throws ServiceError `conflict`, `component_unavailable`.
   */
  place(): Promise<boolean>;
  /** Removes it unless it has been placed, and frees its share of the transfers. Never rejects. */
  discard(): Promise<void>;
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
  /**
   * Begins to take a file in. Nothing is written through links. `owner`: whose share of the transfers it takes.
   * @throws ServiceError `busy`, `conflict` (something else is at the path, or on the way), `storage_full`,
   * `component_unavailable`.
   */
  receive(path: string, owner: string): Promise<IncomingFile>;
  /**
   * Removes a file, and the folders that are empty then. @returns its size in bytes; undefined if there is none.
   * @throws ServiceError `conflict` for what is not a regular file, `component_unavailable`.
   */
  remove(path: string): Promise<number | undefined>;
}
