/** Part of a JSON array of rows; `more` says that the reader is to be asked again. */
export interface Chunk {
  readonly bytes: Uint8Array;
  readonly more: boolean;
}

/** Readings that run at once: in all, and of one key. */
export const MAX_CURSORS = 32;
export const MAX_CURSORS_EACH = 8;
/** A reading holds the database's log back: it ends when nobody has continued it for so long, and after so long in all. */
export const MAX_IDLE_MS = 60_000;
export const MAX_READING_MS = 300_000;
/** While readings hold back a log of this size, in bytes, no other begins. */
export const MAX_LOG_BYTES = 256 * 1024 * 1024;
