/**
 * Most commands to one robot that may be unread at the broker, well below the 1000 messages after which mosquitto drops
 * what comes, a stop too. Those that wait for long leave room for others, whose answers show that all was read.
 */
const MAX_UNREAD = 250;
const MAX_UNREAD_WAITS = 200;

/**
 * The commands to one robot that it may not have read yet. A broker delivers in order, so an answer to one shows that
 * all before it were read. A caller that hangs up or times out makes no room: its command is still queued at the
 * broker.
 */
export class Unread {
  /** Message id: when it expires at the broker, in ms since the epoch; in the order of sending. */
  readonly #messages = new Map<string, number>();

  /** Whether there is room for one more. */
  hasRoom(now: number, { waits }: { readonly waits: boolean }): boolean {
    const limit = waits ? MAX_UNREAD_WAITS : MAX_UNREAD;
    if (this.#messages.size >= limit) this.#dropExpired(now);
    return this.#messages.size < limit;
  }

  sent(id: string, expiresAt: number): void {
    this.#messages.set(id, expiresAt);
  }

  /** The robot has answered this message. */
  answered(id: string): void {
    if (!this.#messages.has(id)) return;
    for (const sent of this.#messages.keys()) {
      this.#messages.delete(sent);
      if (sent === id) return;
    }
  }

  /** The robot has a new connection; what was queued for the old one is gone. */
  clear(): void {
    this.#messages.clear();
  }

  #dropExpired(now: number): void {
    for (const [id, expiresAt] of this.#messages) if (expiresAt < now) this.#messages.delete(id);
  }
}
