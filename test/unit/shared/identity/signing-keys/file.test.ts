import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../../../../functions/shared/config.ts';
import { openSigningKeys } from '../../../../../functions/shared/identity/adapters/signing-keys/open.ts';
import { formatPem, newKey, parsePem } from '../../../../../functions/shared/identity/adapters/signing-keys/pem.ts';
import { rotate, rotateNow } from '../../../../../functions/shared/identity/adapters/signing-keys/rotate.ts';
import { NOON } from '../../../../support/auth.ts';
import { sourcePath, startModule } from '../../../../support/run-source.ts';
import { silentLogger, temporaryFolder, testConfig } from '../../../../support/world.ts';

function world() {
  const path = join(temporaryFolder(), 'keys', 'jwt.pem');
  const time = { now: NOON };
  const config = testConfig({ SERVICE_JWT_SIGNING_KEY_PATH: path });
  return { path, time, open: () => openSigningKeys(config, silentLogger, () => time.now) };
}

function put(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

describe('The signing-key file', () => {
  it('is created private, in a private folder, and holds the same key after a restart', async () => {
    const { path, open } = world();
    const { kid } = (await open()).current(NOON);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect((await open()).current(NOON).kid).toBe(kid);
    expect(readdirSync(dirname(path))).toEqual(['jwt.pem']);
  });

  const P256 = newKey().pem;
  const pemOf = (key: ReturnType<typeof generateKeyPairSync>['privateKey']) =>
    String(key.export({ type: 'pkcs8', format: 'pem' }));
  const UNUSABLE: Record<string, readonly [text: string, why: RegExp, mode?: number]> = {
    'readable by others': [P256, /chmod 600/, 0o644],
    'readable by its group': [P256, /chmod 600/, 0o640],
    empty: ['', /empty/],
    'cut off': [P256.slice(0, 100), /cut off/],
    'good and then cut off': [`${P256}\n${P256.slice(0, 100)}`, /cut off/],
    damaged: [P256.replace(/M/g, 'N'), /damaged/],
    'no PEM at all': ['secret words', /no private key/],
    'a public key': [P256.replaceAll('PRIVATE', 'PUBLIC'), /no private key/],
    'an RSA key': [pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey), /P-256/],
    'a P-384 key': [pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey), /P-256/],
    'an Ed25519 key': [pemOf(generateKeyPairSync('ed25519').privateKey), /P-256/],
    'an encrypted key': [
      String(newKey().privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })),
      /encrypted/,
    ],
    'with a moment that is none': [`Signs-From: tomorrow\n${P256}\n`, /RFC 3339/],
  };

  it.each(Object.entries(UNUSABLE))('%s is refused in one line without secrets', async (_name, [text, why, mode]) => {
    const { path, open } = world();
    put(path, text, mode);
    const error = await open().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(ConfigError);
    const { message } = error as ConfigError; // as: just seen to be one
    expect(message).toContain(path);
    expect(message).toMatch(why);
    expect(message).not.toMatch(/\n|secret words/);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each(Object.entries(UNUSABLE))(
    '%s while the service runs leaves the last valid key, reported without a path',
    async (_name, [text, why, mode]) => {
      const { path, time, open } = world();
      const keys = await open();
      const { kid } = keys.current(NOON);
      put(path, text, mode);
      time.now += 500;
      expect(keys.current(NOON).kid).toBe(kid);
      expect(keys.problem()).toMatch(why);
      expect(keys.problem()).not.toContain(path);
      put(path, P256);
      time.now += 500;
      expect(keys.problem()).toBeUndefined();
      expect(keys.current(NOON).kid).toBe(parsePem(P256)[0]?.kid);
    },
  );

  it('that is missing leaves the last valid key and is reported', async () => {
    const { path, time, open } = world();
    const keys = await open();
    const { kid } = keys.current(NOON);
    rmSync(path);
    time.now += 500;
    expect([keys.current(NOON).kid, keys.problem()]).toEqual([kid, 'the file does not exist']);
  });

  it('may be written by openssl, with other text around it', async () => {
    const { path, open } = world();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
    put(path, `made by hand\n${parameters}${privateKey.export({ type: 'sec1', format: 'pem' })}`);
    expect((await open()).published(NOON)).toHaveLength(1);
  });

  it('reads back unchanged', () => {
    const keys = [newKey(), newKey(NOON), newKey(NOON + 1)];
    const plain = (list: typeof keys) => list.map(({ kid, signsFrom }) => [kid, signsFrom]);
    expect(plain(parsePem(formatPem(keys)))).toEqual(plain(keys));
  });

  it('removes leftovers of a killed process, and nothing else', async () => {
    const { path, open } = world();
    const folder = dirname(path);
    const leftover = join(folder, '.jwt.pem.0123456789abcdef.tmp');
    const dead = join(folder, `.jwt.pem.${spawnSync('true').pid}-0123456789abcdef.tmp`);
    put(dead, 'a whole key');
    const others = [
      `.jwt.pem.${process.ppid}-0123456789abcdef.tmp`,
      '.jwt.pem.fedcba9876543210.tmp',
      '.jwt.pem.notes.tmp',
      'x.tmp',
    ];
    for (const name of [leftover, ...others.map((name) => join(folder, name))]) put(name, 'half a key');
    utimesSync(leftover, 1, 1);
    utimesSync(join(folder, 'x.tmp'), 1, 1);
    await open();
    expect([leftover, dead].filter((name) => existsSync(name))).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['jwt.pem', ...others].sort());
  });

  it('is created once by several processes at the same time', async () => {
    const path = join(temporaryFolder(), 'jwt.pem');
    const untilTogether = `while (Date.now() < ${Date.now() + 2000});`;
    const code = `
      import { createKeyFile } from '${sourcePath('functions/shared/identity/adapters/signing-keys/file.ts')}';
      import { showKeys } from '${sourcePath('functions/shared/identity/adapters/signing-keys/rotate.ts')}';
      ${untilTogether}
      createKeyFile('${path}');
      console.log(showKeys('${path}', 0).map(({ kid }) => kid).join());`;
    const ended = await Promise.all([1, 2, 3, 4].map(() => startModule(code).ended));
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(Array(4).fill([0, '']));
    expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(1);
    expect(ended[0]?.stdout).toMatch(/^[A-Za-z0-9_-]{43}\n$/);
  });
});

describe('Rotating the signing key', () => {
  it('is followed by the running service, which publishes the key first and signs later', async () => {
    const { path, time, open } = world();
    const keys = await open();
    const old = keys.current(NOON).kid;
    const [, added] = await rotate(path, NOON);
    time.now += 500;
    expect(keys.published(NOON).map(({ kid }) => kid)).toEqual([old, added?.kid]);
    expect(keys.current(NOON).kid).toBe(old);
    expect(keys.current(NOON + 75 * 60_000).kid).toBe(added?.kid);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is refused while an earlier rotation is pending, and later drops expired keys', async () => {
    const { path } = world();
    await rotate(path, NOON);
    await expect(rotate(path, NOON + 74 * 60_000)).rejects.toThrow(/waits to sign from 2027-03-01T13:15:00/);
    const early = await rotate(path, NOON + 80 * 60_000);
    expect(early.map(({ state }) => state)).toEqual(['published', 'signing', 'waiting']);
    const late = await rotate(path, NOON + 1e4 * 60_000);
    expect(late.map(({ state }) => state)).toEqual(['signing', 'waiting']);
  });

  it('is refused while the clock is before the build date, unless immediate', async () => {
    const { path } = world();
    await expect(rotate(path, Date.parse('2020-01-01T00:00:00Z'))).rejects.toThrow(/clock/);
    expect(existsSync(path)).toBe(false);
    expect(await rotateNow(path, Date.parse('2020-01-01T00:00:00Z'))).toHaveLength(1);
  });

  it('that is immediate leaves only the new key in the file', async () => {
    const { path, time, open } = world();
    const keys = await open();
    const old = keys.current(NOON).kid;
    await rotate(path, NOON);
    const [only] = await rotateNow(path, NOON);
    time.now += 500;
    expect(keys.published(NOON).map(({ kid }) => kid)).toEqual([only?.kid]);
    expect(keys.publicKey(old, NOON)).toBeUndefined();
    put(path, 'rubbish', 0o644);
    await rotateNow(path, NOON);
    expect((await open()).published(NOON)).toHaveLength(1);
  });
});
