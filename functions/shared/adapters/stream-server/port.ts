/** The video-stream server that trusts this service's public keys and keeps a copy of them. */
export interface StreamServer {
  /** Has it fetch the public keys anew. Rejects when it did not say that it will. */
  refreshKeys(signal: AbortSignal): Promise<void>;
}
