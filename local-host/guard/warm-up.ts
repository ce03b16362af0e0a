import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Config } from '../../functions/shared/config.ts';
import { Fence } from '../../functions/shared/control/fence.ts';
import { claimsOf } from '../../functions/shared/identity/claims.ts';
import { createLogger } from '../../functions/shared/observability/logger.ts';
import { Acts } from './acts.ts';
import { HandedIdentity } from './handed-identity.ts';
import { StopConnections } from './stop-connections.ts';
import { createStopServer } from './stop-server.ts';
import { Stopper, type StopperParts } from './stopper.ts';

const TIMES = 5;
const KEY_ID = 'warm-up';

const NO_ROBOT: StopperParts['link'] = { fence: new Fence(), stop: () => ({ stopped: true }) };
const NO_FILE: StopperParts['file'] = { reopen: () => true, word: () => 0, raise: () => undefined };

/**
 * Runs what serves a stop before the first one comes, with a token of its own against no robot, over a socket of its
 * own: code that has never run takes ten times as long.
 * @param folder for a socket and a file, which it removes.
 * @throws system errors.
 */
export async function warmUp(config: Config, folder: string): Promise<void> {
  const logger = createLogger('silent');
  const acts = new Acts(() => undefined);
  const stopper = new Stopper({ config, logger, acts, link: NO_ROBOT, file: NO_FILE, tellHost: async () => true });
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const identity = identityWith(publicKey, config, join(folder, 'warm-up.json'));
  const socketPath = join(folder, 'warm-up.sock');
  rmSync(socketPath, { force: true });
  const parts = { config, logger, identity, stopper };
  const server = createStopServer('tcp', parts, new StopConnections(1, 1));
  await once(server.listen(socketPath), 'listening');
  const headers = { host: 'localhost', authorization: `Bearer ${tokenSignedWith(privateKey, config)}` };
  for (let times = 0; times < TIMES; times += 1) {
    const stop = request({ socketPath, path: '/api/v2/stop', method: 'POST', agent: false, headers }).end();
    const [answer] = await once(stop, 'response');
    await once(answer.resume(), 'end');
    if (answer.statusCode !== 200) throw new Error(`The warm-up got ${answer.statusCode}`);
  }
  server.close();
}

function identityWith(publicKey: KeyObject, config: Config, path: string): HandedIdentity {
  const identity = {
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid: KEY_ID }],
    api_keys: [{ id: KEY_ID, level: 'USER', revoked: false }],
    socket_generation: '',
  };
  writeFileSync(path, JSON.stringify(identity), { mode: 0o600 });
  try {
    return new HandedIdentity({ config, logger: createLogger('silent'), clock: Date.now, path });
  } finally {
    rmSync(path, { force: true });
  }
}

function tokenSignedWith(key: KeyObject, config: Config): string {
  const grant = { accessLevel: 'USER', keyId: KEY_ID, mayPublish: false } as const;
  const claims = claimsOf(grant, {
    issuer: config.SERVICE_ISSUER,
    audience: config.SERVICE_ROBOT_ID,
    clientId: KEY_ID,
    tokenId: KEY_ID,
    issuedAt: Math.floor(Date.now() / 1000),
    sessionSeconds: Number.POSITIVE_INFINITY,
    keyEndsAt: Number.POSITIVE_INFINITY,
    socketGeneration: '',
  });
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'ES256', kid: KEY_ID })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
