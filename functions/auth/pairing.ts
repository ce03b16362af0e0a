import { type AccessLevel, type Caller, isAbove } from '../shared/access.ts';
import { ServiceError } from '../shared/errors.ts';
import type { ApiKeyGate } from '../shared/identity/api-key-gate.ts';
import { endOf } from '../shared/identity/api-key-record.schema.ts';
import { LOCAL_KEY_ID } from '../shared/identity/claims.ts';
import { type IssuePorts, issue } from '../shared/identity/issue-token.ts';
import type { ApiKeyRecord, KeyStore } from '../shared/identity/key-store.port.ts';
import type { Revocations } from '../shared/identity/revocations.port.ts';
import { invalid } from '../shared/pipeline/parse-input.ts';
import { tokenAnswer } from './auth.ts';
import type { PairingRequest } from './pairing.schema.ts';
import { CODE_MS, type Pairing, type PairingCodes } from './pairing-codes.ts';

interface CodePorts {
  readonly keyStore: Pick<KeyStore, 'findById'>;
  readonly revocations: Pick<Revocations, 'isLoggedOut' | 'socketGeneration'>;
  readonly pairingCodes: PairingCodes;
  readonly clock: () => number;
}

/**
 * A code by which another device gets a token of its own. Errors: insufficient_access (a level above one's own),
 * validation_failed (a key that is none, or over the network).
 */
export function issueCode(
  { level = 'USER', key }: NonNullable<PairingRequest>,
  caller: Caller,
  listener: 'tcp' | 'socket',
  { keyStore, revocations, pairingCodes, clock }: CodePorts,
) {
  const now = clock();
  assertReaches(level, caller.accessLevel);
  if (key !== undefined) assertNameable(key, level, keyStore, now, caller, listener);
  const keyId = key ?? caller.keyId;
  const seconds = Math.floor(now / 1000);
  const authTime = caller.authTime ?? seconds;
  const code = pairingCodes.issue(
    {
      keyId,
      keyLevel: keyStore.findById(keyId)?.level,
      accessLevel: level,
      authTime,
      issuer: caller.clientId,
      issuedAt: seconds,
      socketGeneration: revocations.socketGeneration(),
    },
    caller.keyId,
  );
  return { code, expires_at: new Date(now + CODE_MS).toISOString() };
}

function assertReaches(level: AccessLevel, own: AccessLevel): void {
  if (!isAbove(level, own)) return;
  throw new ServiceError('insufficient_access', {
    detail: `A paired device reaches no further than who pairs it: at most ${own}. Ask for that level or a lower one.`,
  });
}

/** Who is at the robot may choose the key by which the new token lives on over the network. */
function assertNameable(
  id: string,
  level: AccessLevel,
  keyStore: CodePorts['keyStore'],
  now: number,
  { keyId }: Caller,
  listener: 'tcp' | 'socket',
): void {
  const refuse = (message: string) => invalid([{ pointer: '/key', message }]);
  if (listener !== 'socket' || keyId !== LOCAL_KEY_ID) throw refuse('Only named over the Unix socket; leave it out.');
  const record = keyStore.findById(id);
  if (!record || !isGood(record, level, now)) throw refuse(`No valid API key of level ${level} or above has this id.`);
}

function isGood(record: ApiKeyRecord, level: AccessLevel, now: number): boolean {
  return record.revoked_at === null && now < endOf(record) && !isAbove(level, record.level);
}

type PairPorts = IssuePorts & CodePorts & { readonly apiKeyGate: Pick<ApiKeyGate, 'countWrong'> };

/**
 * Trades a code for a token of a new client. A right code is never refused for the wrong ones before it.
 * Errors: pairing_code_invalid, rate_limited.
 */
export async function pair(code: string, address: string, ports: PairPorts) {
  const pairing = ports.pairingCodes.take(code);
  if (!pairing || !isStillGood(pairing, ports)) {
    await ports.apiKeyGate.countWrong(address);
    throw new ServiceError('pairing_code_invalid', {
      detail: 'This pairing code is wrong, was used, or is older than a minute. Have the other device show a new one.',
    });
  }
  const { keyId, keyLevel, accessLevel, authTime } = pairing;
  const grant = { keyId, ...(keyLevel ? { keyLevel } : {}), accessLevel, authTime, mayPublish: false };
  return {
    pairing,
    answer: tokenAnswer(await issue(ports, grant, 'auth')),
  };
}

/** Whether the issuer could still make it: neither its key nor its session has ended since. */
function isStillGood(pairing: Pairing, { keyStore, revocations, clock }: CodePorts): boolean {
  const { keyId, keyLevel, accessLevel, issuer, issuedAt, socketGeneration } = pairing;
  if (revocations.isLoggedOut(issuer, issuedAt)) return false;
  if (keyId === LOCAL_KEY_ID) return revocations.socketGeneration() === socketGeneration;
  const record = keyStore.findById(keyId);
  return record !== undefined && record.level === keyLevel && isGood(record, accessLevel, clock());
}
