/** One file of the console. It never changes under its name, which contains a hash of its content. */
export interface ConsoleFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
  /** The same, compressed when the console was built. */
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** Names of the files that the page begins with. */
export interface ConsoleEntry {
  readonly script: string;
  /** What the script imports at once. */
  readonly parts: readonly string[];
  readonly style: string;
  readonly icon: string;
}

/** The console as it was built. */
export interface ConsoleFiles {
  readonly entry: ConsoleEntry;
  /** Undefined if the console has no file with this name. */
  read(name: string): ConsoleFile | undefined;
}

/** On which ports stop is served besides the service itself. */
export interface StopPorts {
  readonly port: number | null;
  readonly tls_port: number | null;
}
