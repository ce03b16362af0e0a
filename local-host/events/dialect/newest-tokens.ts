import { decodeJwt } from 'jose';
import { StreamToken } from '../../../functions/shared/identity/stream-token.ts';
import type { Tokens } from '../../../functions/shared/identity/tokens.ts';
import { BoundedMap } from '../../../functions/shared/kit/bounded-map.ts';

/** Tokens of at most 900 bytes. */
const MAX_LATELY = 1_000;

interface Held {
  token: StreamToken;
  connections: number;
}

/**
 * The newest token of each client that is connected. A client of port 8001 cannot show another one in its connection,
 * so that it lasts as long as the newest token that was given to the client over HTTP.
 */
export class NewestTokens {
  readonly #byClient = new Map<string, Held>();
  /** Tokens that were answered lately, by client: one may connect with an older one. */
  readonly #lately = new BoundedMap<string, string>(MAX_LATELY);

  /** Notes a token of a connection until the returned function is called. */
  hold(token: StreamToken, tokens: Tokens): () => void {
    const { clientId } = token.caller;
    const held = this.#byClient.get(clientId) ?? { token, connections: 0 };
    held.connections += 1;
    if (token.expiresAt > held.token.expiresAt) held.token = token;
    this.#byClient.set(clientId, held);
    const text = this.#lately.get(clientId);
    if (text !== undefined) this.#adopt(held, text, tokens).catch(() => undefined); // it is no longer good
    let released = false;
    return () => {
      if (released) return;
      released = true;
      held.connections -= 1;
      if (held.connections === 0) this.#byClient.delete(clientId);
    };
  }

  of(clientId: string): StreamToken | undefined {
    return this.#byClient.get(clientId)?.token;
  }

  /** A token was answered over HTTP; `authorization` is the header of that answer. */
  async note(authorization: string, tokens: () => Promise<Tokens>): Promise<void> {
    const text = authorization.replace(/^Bearer /, '');
    const clientId = String(decodeJwt(text).client_id);
    this.#lately.delete(clientId);
    this.#lately.set(clientId, text);
    const held = this.#byClient.get(clientId);
    if (held) await this.#adopt(held, text, await tokens());
  }

  async #adopt(held: Held, text: string, tokens: Tokens): Promise<void> {
    const token = await StreamToken.accept(tokens, text);
    const isSameClient = token.caller.clientId === held.token.caller.clientId;
    if (isSameClient && token.expiresAt > held.token.expiresAt) held.token = token;
  }
}
