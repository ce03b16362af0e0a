/** When API keys were last used, to the minute. */
export interface KeyUse {
  /** A token was issued to this key now. */
  note(keyId: string): void;
  /** RFC 3339, or null for a key that has not been used yet. */
  lastUsedAt(keyId: string): string | null;
  /** Keeps what was noted last. */
  close(): void;
}
