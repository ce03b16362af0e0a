/** Tokens that ended before their time, by other means than their API key. Reads never wait. */
export interface Revocations {
  /**
   * Whether a token of this client ended with a logout.
   * @param issuedAt its time of issue, in seconds since the epoch.
   */
  isLoggedOut(clientId: string, issuedAt: number): boolean;
  /**
   * Ends every token of a client, those issued meanwhile included. When it returns, it is on disk.
   * @throws ServiceError `busy` when one key has ended too many sessions, `storage_full`, `component_unavailable`;
   * nothing has ended then.
   */
  logOut(session: Session): Promise<void>;
  /**
   * Tokens minted over the Unix socket carry it, and are good as long as it stays: another one follows when they are
   * revoked. Empty before the first revocation.
   */
  socketGeneration(): string;
}

/** A client and the API key behind its tokens. */
export interface Session {
  readonly clientId: string;
  readonly keyId: string;
}
