import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { handler as getJwks } from '../../../functions/auth/get-jwks.handler.ts';
// jest cannot link two modules at once that are imported while a test runs
import '../../../functions/shared/identity/adapters/key-store/open.ts';
import { keyStore, signingKeys } from '../../../functions/shared/identity/ports.ts';
import { lambdaHost } from '../../../functions/shared/pipeline/lambda-host.ts';
import { completeEvent } from '../../../scripts/lambda-event.ts';
import { runAsLambda } from '../../../scripts/run-as-lambda.ts';
import { arnOf, type SecretsExtension, startSecretsExtension } from '../../support/secrets-extension.ts';
import { temporaryFolder } from '../../support/world.ts';

const KEY = arnOf('signing-key');
const KEYS = arnOf('api-keys');
const MINUTE = 60_000;

const pem = () =>
  String(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }));
const records = (...ids: string[]) =>
  JSON.stringify({
    keys: ids.map((id) => ({
      id,
      name: id,
      level: 'USER',
      sha256: '0'.repeat(64),
      created_at: '2026-01-01T00:00:00Z',
      revoked_at: null,
    })),
  });

let extension: SecretsExtension;
let now = Date.now();
const host = () => lambdaHost(now);
const knows = async (id: string) => (await (await host()).ports.get(keyStore)).findById(id) !== undefined;
const kid = async () => (await (await host()).ports.get(signingKeys)).current(now).kid;
const later = () => {
  now += MINUTE;
};

/** In the order in which one function lives through it. */
describe('A function with secrets in its settings', () => {
  beforeAll(async () => {
    extension = await startSecretsExtension();
    Object.assign(process.env, extension.environment, {
      HOME: temporaryFolder(),
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_JWT_SIGNING_KEY: KEY,
      SERVICE_API_KEYS: KEYS,
    });
  });
  afterAll(() => extension.stop());

  it("answers 503 without the extension's message while they cannot be read", async () => {
    const answer = await runAsLambda(getJwks, completeEvent({ path: '/.well-known/jwks.json' }));
    expect(answer.statusCode).toBe(503);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/problem+json', 'retry-after': '5' });
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'component_unavailable' });
    expect(answer.body).not.toContain('AccessDenied');
    expect(answer.body).not.toContain('arn:');
  });

  it('works as soon as they can be read', async () => {
    extension.secrets.set(KEY, pem()).set(KEYS, records('laptop'));
    expect(await knows('laptop')).toBe(true);
    const { statusCode, body } = await runAsLambda(getJwks, completeEvent({ path: '/.well-known/jwks.json' }));
    expect({ statusCode, keys: JSON.parse(body).keys }).toEqual({
      statusCode: 200,
      keys: [expect.objectContaining({ kid: await kid() })],
    });
  });

  it('reads them once a minute and reuses its ports while they are unchanged', async () => {
    const { ports } = await host();
    const before = extension.reads;
    await host();
    expect(extension.reads).toBe(before);
    later();
    expect((await host()).ports).toBe(ports);
    expect(extension.reads).toBe(before + 2);
  });

  it('follows a change within a minute', async () => {
    const first = await kid();
    extension.secrets.set(KEY, pem()).set(KEYS, records('tablet'));
    later();
    expect(await knows('laptop')).toBe(false);
    expect(await knows('tablet')).toBe(true);
    expect(await kid()).not.toBe(first);
  });

  it.each<[string, () => void]>([
    ['cannot be read', () => Object.assign(extension, { broken: true })],
    ['is of no use', () => extension.secrets.set(KEYS, '{"keys": "none"}')],
  ])('keeps the last valid ones when one %s', async (_what, spoil) => {
    spoil();
    later();
    expect(await knows('tablet')).toBe(true);
    extension.broken = false;
  });

  it('recovers with the next valid one', async () => {
    extension.secrets.set(KEYS, records('phone'));
    later();
    expect(await knows('phone')).toBe(true);
  });
});
