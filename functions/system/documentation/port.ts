/** One file of the documentation page. */
export interface DocumentationFile {
  readonly bytes: Buffer;
  readonly mediaType: string;
  /** Strong, quoted (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** The files that the page at /docs loads: style, script, icon. */
export interface DocumentationFiles {
  /** Undefined if the page has no file with this name. */
  read(name: string): Promise<DocumentationFile | undefined>;
}
