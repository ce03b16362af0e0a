import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../../kit/json.ts';

/** A message that is being published; `error` is what the server said against it. */
interface Publication {
  readonly id: string;
  readonly topic: string;
  error: string | undefined;
}

/** The messages whose publishing is not confirmed yet. A server says only what went wrong, if that. */
export class Publications {
  readonly #open = new Set<Publication>();

  begin(topic: string): Publication {
    const publication = { id: `publish:${randomUUID()}`, topic, error: undefined };
    this.#open.add(publication);
    return publication;
  }

  end(publication: Publication): void {
    this.#open.delete(publication);
  }

  /** The server reports an error, about the message with this id or in words that name its topic. */
  failed(id: JsonValue | undefined, reason: string): void {
    for (const publication of this.#open) {
      const { topic } = publication;
      if (id === publication.id || id === `advertise:${topic}` || reason.includes(topic)) publication.error ??= reason;
    }
  }
}

/** What a message that is sent several times does; a drive is motion, too. */
export type Repeated = 'drive' | 'motion' | 'other';

/** The pauses between messages that are sent several times, and what ends them early. */
export class Pauses {
  readonly #running = new Map<(error: unknown) => void, Repeated>();

  /** Resolves after so many ms; rejects with what {@link end} is given. */
  wait(ms: number, what: Repeated): Promise<void> {
    return new Promise((resolve, reject) => {
      const quit = (error: unknown) => {
        clearTimeout(timer);
        this.#running.delete(quit);
        reject(error);
      };
      const timer = setTimeout(() => {
        this.#running.delete(quit);
        resolve();
      }, ms).unref();
      this.#running.set(quit, what);
    });
  }

  /** Whether a drive is sent several times and has not ended. */
  get ofDrive(): boolean {
    return [...this.#running.values()].includes('drive');
  }

  /** Ends the pauses of all messages, of those that move the robot, or of drives. */
  end(error: unknown, which: 'all' | 'motion' | 'drive'): void {
    for (const [quit, what] of [...this.#running]) {
      if (which === 'all' || what === 'drive' || what === which) quit(error);
    }
  }
}
