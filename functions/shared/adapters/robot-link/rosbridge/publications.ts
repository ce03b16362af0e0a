import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../../json.ts';

/** A message that is being published; `error` is what the server said against it. */
export interface Publication {
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
