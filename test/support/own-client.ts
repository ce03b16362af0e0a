import { randomBytes } from 'node:crypto';
import type { AccessLevel } from '../../functions/shared/access.ts';
import { tokens } from '../../functions/shared/identity/ports.ts';
import { type HttpAnswer, type HttpCall, http } from './http.ts';
import type { TestService } from './service.ts';

export interface OwnClient {
  readonly token: string;
  /** Random, as a lease wants it. */
  readonly instance: string;
  send(path: string, call?: HttpCall): Promise<HttpAnswer>;
}

/** A client of its own, with a token of its own. */
export async function ownClient(
  { ports, url }: TestService,
  accessLevel: AccessLevel,
  keyId: string,
): Promise<OwnClient> {
  const { token } = await (await ports.get(tokens)).mint({ accessLevel, keyId, mayPublish: false });
  return {
    token,
    instance: randomBytes(16).toString('base64url'),
    send: (path, call = {}) =>
      http(url, path, { ...call, headers: { authorization: `Bearer ${token}`, ...call.headers } }),
  };
}
