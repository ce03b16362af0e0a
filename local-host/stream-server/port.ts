/** A video-stream server that trusts this service's public keys and caches them. */
export interface StreamServer {
  /** Tells the server to fetch the public keys again. Rejects unless the server agrees. */
  refreshKeys(signal: AbortSignal): Promise<void>;
}
