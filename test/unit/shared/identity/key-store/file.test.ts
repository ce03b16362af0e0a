import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createKey, listKeys, revokeKey } from '../../../../../functions/shared/identity/adapters/key-store/edit.ts';
import { openKeyFile } from '../../../../../functions/shared/identity/adapters/key-store/file.ts';
import { createLogger } from '../../../../../functions/shared/observability/logger.ts';
import { NOON } from '../../../../support/auth.ts';
import { silentLogger, temporaryFolder } from '../../../../support/world.ts';

const ADMIN = { name: 'tablet', level: 'ADMIN' } as const;

function world() {
  const path = join(temporaryFolder(), 'api-keys.json');
  const time = { now: NOON };
  const log: string[] = [];
  const logger = createLogger('info', { write: (line: string) => log.push(line) });
  return { path, time, log, store: openKeyFile(path, logger, () => time.now) };
}

describe('The key file', () => {
  it('keeps a private record of a key without its secret', async () => {
    const { path, store } = world();
    const { key, record } = await createKey(path, ADMIN);
    expect(key).toMatch(/^rk_[A-Za-z0-9_-]{43}$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(listKeys(path))).not.toContain(key.slice(3));
    expect(store.findBySecret(key)).toEqual(record);
    expect(store.findById(record.id)).toEqual(record);
  });

  it('accepts a new key at once, even just after reading the file', async () => {
    const { path, store } = world();
    expect(store.findBySecret('rk_nothing')).toBeUndefined();
    const { key } = await createKey(path, ADMIN);
    expect(store.findBySecret(key)).toMatchObject(ADMIN);
    expect(store.problem()).toBeUndefined();
  });

  it('refuses a revoked key within a second, and keeps its record', async () => {
    const { path, store, time } = world();
    const { key, record } = await createKey(path, ADMIN);
    expect(store.findBySecret(key)).toBeDefined();
    await revokeKey(path, record.id);
    time.now += 500;
    expect(store.findBySecret(key)).toBeUndefined();
    expect(store.findById(record.id)?.revoked_at).toMatch(/^\d{4}-/);
  });

  it('follows changes after the clock is set back', async () => {
    const { path, store, time } = world();
    const { key, record } = await createKey(path, ADMIN);
    expect(store.findBySecret(key)).toBeDefined();
    await revokeKey(path, record.id);
    time.now -= 3_600_000;
    expect(store.findBySecret(key)).toBeUndefined();
  });

  const RECORD = {
    id: 'a',
    name: 'a',
    level: 'USER',
    sha256: 'a'.repeat(64),
    created_at: '2027-01-01T00:00:00Z',
    revoked_at: null,
  };
  const BROKEN: Record<string, string> = {
    empty: '',
    'cut off': '{"keys":[{"id":"a"',
    'a list': '[]',
    'no keys': '{}',
    'an unknown level': JSON.stringify({ keys: [{ ...RECORD, level: 'ROOT' }] }),
    'a secret in place of its hash': JSON.stringify({ keys: [{ ...RECORD, sha256: 'rk_secret' }] }),
    'the id of the socket': JSON.stringify({ keys: [{ ...RECORD, id: 'local' }] }),
    'two keys of one id': JSON.stringify({ keys: [RECORD, RECORD] }),
    'an unknown field': JSON.stringify({ keys: [{ ...RECORD, robot: 'r' }] }),
    'no robots': JSON.stringify({ keys: [{ ...RECORD, robots: [] }] }),
  };

  it.each(Object.entries(BROKEN))(
    'that is broken (%s) leaves the last valid keys, is reported and never edited',
    async (_name, text) => {
      const { path, store, time } = world();
      const { key } = await createKey(path, ADMIN);
      const good = JSON.stringify({ keys: listKeys(path) });
      expect(store.findBySecret(key)).toBeDefined();
      writeFileSync(path, text);
      time.now += 500;
      expect(store.findBySecret(key)).toMatchObject(ADMIN);
      expect(store.problem()).toMatch(/^it /);
      expect(store.problem()).not.toMatch(/\/|rk_secret/);
      await expect(createKey(path, ADMIN)).rejects.toThrow(/^it /);
      expect(() => listKeys(path)).toThrow();
      writeFileSync(path, good);
      time.now += 500;
      expect(store.problem()).toBeUndefined();
    },
  );

  it('that breaks is logged once, and so is its repair', async () => {
    const { path, store, time, log } = world();
    writeFileSync(path, '{');
    for (let look = 0; look < 3; look++) {
      time.now += 500;
      store.findById('any');
    }
    expect(log).toEqual([expect.stringMatching(/"level":"error".*"problem":"it is not valid JSON"/)]);
    writeFileSync(path, '{"keys":[]}');
    time.now += 500;
    expect(store.problem()).toBeUndefined();
    expect(log.slice(1)).toEqual([expect.stringMatching(/"level":"info".*again/)]);
  });

  it('that is missing leaves the last valid keys, with a report, until it is back', async () => {
    const { path, store, time } = world();
    const { key } = await createKey(path, ADMIN);
    const good = JSON.stringify({ keys: listKeys(path) });
    expect(store.findBySecret(key)).toBeDefined();
    rmSync(path);
    time.now += 500;
    expect(store.findBySecret(key)).toBeDefined();
    expect(store.problem()).toBe('the file does not exist');
    writeFileSync(path, good);
    time.now += 500;
    expect(store.problem()).toBeUndefined();
  });

  it('that is a folder gives no key and is a problem from the start', () => {
    const path = join(temporaryFolder(), 'api-keys.json');
    mkdirSync(path);
    const store = openKeyFile(path, silentLogger, () => NOON);
    expect(store.problem()).toBe('the file cannot be used (EISDIR)');
    expect(store.findBySecret('rk_any')).toBeUndefined();
  });

  it('keeps every record when a key is revoked twice or unknown', async () => {
    const { path } = world();
    const { record } = await createKey(path, { ...ADMIN, robots: ['robot-1'] });
    const first = await revokeKey(path, record.id);
    expect(await revokeKey(path, record.id)).toEqual(first);
    expect(await revokeKey(path, 'unknown')).toBeUndefined();
    expect(listKeys(path)).toEqual([first]);
  });

  it('is private, in a private folder', async () => {
    const folder = join(temporaryFolder(), 'deep', 'data');
    await createKey(join(folder, 'api-keys.json'), ADMIN);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});
