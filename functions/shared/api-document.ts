/** The OpenAPI document of the whole service as text, with its entity tag. */
export interface ApiDocument {
  readonly text: string;
  /** Strong, quoted (RFC 9110, section 8.8.3). */
  readonly etag: string;
}
