/** One file of the documentation page. */
export interface DocumentationFile {
  readonly bytes: Buffer;
  readonly mediaType: string;
  /** Strong, quoted (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** The files that the page at /docs loads: style, script, icon. */
export interface DocumentationFiles {
  /** The file of this name, or undefined when it is none of the page's. */
  read(name: string): Promise<DocumentationFile | undefined>;
}
