import { createHash, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { handler as authenticateV2 } from '../../../functions/auth/authenticate-v2.handler.ts';
import { handler as getJwks } from '../../../functions/auth/get-jwks.handler.ts';
import { handler as sendInt } from '../../../functions/commands/send-int.handler.ts';
import { handler as stop } from '../../../functions/commands/stop.handler.ts';
import type { Endpoint } from '../../../functions/shared/pipeline/endpoint.ts';
import { handler as getDocsFile } from '../../../functions/system/documentation/get-docs-file.handler.ts';
import { handler as checkLive } from '../../../functions/system/status/check-live.handler.ts';
import { handler as getStatus } from '../../../functions/system/status/get-status.handler.ts';
import { completeEvent, type ShortRequest } from '../../../scripts/lambda-event.ts';
import { runAsLambda } from '../../../scripts/run-as-lambda.ts';
import { temporaryFolder } from '../../support/world.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const SECRET = `rk_${'s'.repeat(43)}`;
const KEY = {
  id: 'laptop',
  name: 'A laptop',
  level: 'USER',
  sha256: createHash('sha256').update(SECRET).digest('hex'),
  created_at: '2026-01-01T00:00:00Z',
  revoked_at: null,
};
const ENVIRONMENT = {
  HOME: temporaryFolder(),
  SERVICE_LOG_LEVEL: 'silent',
  SERVICE_JWT_SIGNING_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  SERVICE_API_KEYS: JSON.stringify({ keys: [KEY] }),
};

const sample = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../events', name), 'utf8'));

async function run(handler: Endpoint, event: unknown) {
  const answer = await runAsLambda(handler, completeEvent(event), ENVIRONMENT);
  return { ...answer, json: /json/.test(answer.headers['content-type'] ?? '') ? JSON.parse(answer.body) : undefined };
}

describe('A single handler as a Lambda function', () => {
  it('answers the status', async () => {
    const { statusCode, json, headers } = await run(getStatus, sample('get-status.json'));
    expect(statusCode).toBe(200);
    expect(json).toMatchObject({ status: 'ok', mode: 'sim', robot: 'connected', robot_link: 'simulated' });
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  });

  it('publishes the public key from its settings to a real API Gateway event', async () => {
    const { statusCode, json } = await run(getJwks, sample('get-jwks.api-gateway.json'));
    expect(statusCode).toBe(200);
    const { x, y } = privateKey.export({ format: 'jwk' });
    expect(json.keys).toEqual([
      { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', x, y, kid: expect.stringMatching(/^[\w-]{43}$/) },
    ]);
  });

  it('refuses stop without a token', async () => {
    const { statusCode, json, headers } = await run(stop, sample('stop.json'));
    expect({ statusCode, code: json.code }).toEqual({ statusCode: 401, code: 'missing_token' });
    expect(headers['www-authenticate']).toMatch(/^Bearer /);
  });

  it.each<[string, ShortRequest]>([
    ['no token', { method: 'POST', body: { command: 'sound_level', value: 40 } }],
    ['a token that is none', { method: 'POST', headers: { Authorization: 'Bearer x' }, body: '{not even json' }],
  ])('refuses a command with %s before reading the body', async (_what, request) => {
    const { statusCode } = await run(sendInt, request);
    expect(statusCode).toBe(401);
  });

  it('trades an API key of its settings for a token that another function accepts', async () => {
    const minted = await run(authenticateV2, { path: '/api/v2/auth/', headers: { 'X-API-Key': SECRET } });
    expect(minted.statusCode).toBe(200);
    const { statusCode, json } = await run(sendInt, {
      method: 'POST',
      headers: { Authorization: minted.headers.authorization ?? '' },
      body: { command: 'sound_level', value: 40 },
    });
    expect({ statusCode, json }).toMatchObject({ statusCode: 200, json: { command: 'sound_level', value: 40 } });
  });

  it('adopts a well-formed request id', async () => {
    const { headers } = await run(checkLive, { headers: { 'X-Request-Id': 'trace-12345678' } });
    expect(headers['x-request-id']).toBe('trace-12345678');
  });

  it('sends bytes as base64', async () => {
    const answer = await run(getDocsFile, { path: '/docs/favicon-32x32.png', params: { file: 'favicon-32x32.png' } });
    expect(answer).toMatchObject({ statusCode: 200, isBase64Encoded: true });
    expect(Buffer.from(answer.body, 'base64').subarray(1, 4).toString()).toBe('PNG');
  });
});

describe('A short request', () => {
  it('becomes a whole event, with JSON for a body and lower-case header names', () => {
    const event = completeEvent({
      method: 'POST',
      path: '/x',
      headers: { 'X-Y': 'z' },
      query: { a: 'b c' },
      body: [1],
    });
    expect(event).toMatchObject({
      version: '2.0',
      rawPath: '/x',
      rawQueryString: 'a=b+c',
      queryStringParameters: { a: 'b c' },
      headers: { 'x-y': 'z', 'content-type': 'application/json' },
      body: '[1]',
      requestContext: { http: { method: 'POST', path: '/x' } },
    });
  });

  it.each([[{ methd: 'GET' }], [{ method: 'BREW' }], [{ path: 'x' }], [[]], [null]])('is refused as %j', (request) => {
    expect(() => completeEvent(request)).toThrow();
  });
});
