import type { AccessLevel } from '../../functions/shared/access.ts';
import type { Config } from '../../functions/shared/config.ts';
import { digestOf, KeySet } from '../../functions/shared/identity/adapters/key-store/records.ts';
import { type DatedKey, KeyRing } from '../../functions/shared/identity/adapters/signing-keys/key-ring.ts';
import { newKey } from '../../functions/shared/identity/adapters/signing-keys/pem.ts';
import type { ApiKeyRecord, KeyStore } from '../../functions/shared/identity/key-store.port.ts';
import type { Revocations, Session } from '../../functions/shared/identity/revocations.port.ts';
import type { SigningKeys } from '../../functions/shared/identity/signing-keys.port.ts';
import type { TokenParts } from '../../functions/shared/identity/tokens.ts';
import { testConfig } from './world.ts';

/** A moment after the build date, in ms. */
export const NOON = Date.parse('2027-03-01T12:00:00Z');

/** A record whose secret is `rk_<id>`. */
export function keyRecord(id: string, level: AccessLevel = 'ADMIN', rest: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  const sha256 = digestOf(`rk_${id}`).toString('hex');
  return { id, name: id, level, sha256, created_at: '2027-01-01T00:00:00Z', revoked_at: null, ...rest };
}

/** A key store whose records a test may replace as it goes. */
export class FakeKeyStore implements KeyStore {
  records: readonly ApiKeyRecord[];

  constructor(records: readonly ApiKeyRecord[] = [keyRecord('k1')]) {
    this.records = records;
  }

  findBySecret(secret: string): ApiKeyRecord | undefined {
    return new KeySet(this.records).findBySecret(secret);
  }

  findById(id: string): ApiKeyRecord | undefined {
    return new KeySet(this.records).findById(id);
  }

  list(): readonly ApiKeyRecord[] {
    return this.records;
  }

  problem(): undefined {
    return undefined;
  }
}

/** Revocations in memory that a test may change. */
export class FakeRevocations implements Revocations {
  readonly loggedOut = new Set<string>();
  generation = '';

  isLoggedOut(clientId: string): boolean {
    return this.loggedOut.has(clientId);
  }

  async logOut({ clientId }: Session): Promise<void> {
    this.loggedOut.add(clientId);
  }

  socketGeneration(): string {
    return this.generation;
  }
}

/** Signing keys in memory that a test may replace. */
export class FakeSigningKeys implements SigningKeys {
  ring: KeyRing;

  constructor(keys: readonly DatedKey[] = [newKey()]) {
    this.ring = new KeyRing(keys);
  }

  current(now: number) {
    return this.ring.current(now);
  }

  published(now: number) {
    return this.ring.published(now);
  }

  publicKey(kid: string, now: number) {
    return this.ring.publicKey(kid, now);
  }

  problem(): undefined {
    return undefined;
  }
}

/** What tokens are made with: a clock that stands at noon until a test moves it, one key `k1` of level ADMIN. */
export function tokenWorld(settings: Record<string, string> = {}) {
  const world = {
    now: NOON,
    config: testConfig(settings) satisfies Config,
    signingKeys: new FakeSigningKeys(),
    keyStore: new FakeKeyStore(),
    revocations: new FakeRevocations(),
    clock: () => world.now,
  };
  return world satisfies TokenParts;
}
