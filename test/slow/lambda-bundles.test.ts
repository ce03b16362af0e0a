import { execFile } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completeEvent, type ShortRequest } from '../../scripts/lambda-event.ts';
import type { LambdaAnswer } from '../../scripts/run-as-lambda.ts';
import { parseTemplate } from '../support/cloudformation.ts';
import { arnOf, type SecretsExtension, startSecretsExtension } from '../support/secrets-extension.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const run = promisify(execFile);
const BUNDLES = join(ROOT, 'dist-lambda');
const MAX_BYTES = 600 * 1024;
/** With the way to the robots through their broker. */
const MAX_BYTES_WITH_ROBOT = 900 * 1024;

/** What is for the robot alone, or for building. */
const NOWHERE = [
  'better-sqlite3',
  'kysely',
  'ssh2',
  'prom-client',
  'swagger-ui-dist',
  'csv-parse',
  'zod-openapi',
  'js-yaml',
];
/** Bundles that do not speak to the robot carry nothing of the way to it. */
const WITHOUT_ROBOT = ['authenticate-v1', 'authenticate-v2', 'refresh-token', 'get-jwks', 'get-openapi'];

let modules: Record<string, Record<string, number>>;
beforeAll(async () => {
  await run(process.execPath, [join(ROOT, 'scripts', 'build-lambda.mjs')], { timeout: 120_000 });
  modules = JSON.parse(readFileSync(join(BUNDLES, 'modules.json'), 'utf8')) as typeof modules;
});

const modulesOf = (name: string) => Object.keys(modules[name] ?? {});
const packagesOf = (name: string) =>
  new Set(modulesOf(name).flatMap((module) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? []));

describe('The bundles of the functions', () => {
  it('exist for each function of the template, plus the API document for its function', () => {
    const { Resources } = parseTemplate(readFileSync(join(ROOT, 'template.yaml'), 'utf8'));
    const named = Object.values(Resources)
      .filter(({ Type }) => Type === 'AWS::Serverless::Function')
      .map(({ Properties }) => String(Properties.CodeUri).split('/')[1]);
    const folders = readdirSync(BUNDLES).filter((name) => name !== 'modules.json');
    expect(folders.sort()).toEqual(named.sort());
    const files = folders.map((folder) => [folder, readdirSync(join(BUNDLES, folder)).sort()]);
    const expected = folders.map((name) => [
      name,
      name === 'get-openapi' ? ['index.mjs', 'openapi.json'] : ['index.mjs'],
    ]);
    expect(files).toEqual(expected);
  });

  it('contain nothing that only the robot needs', () => {
    for (const name of Object.keys(modules)) {
      expect([name, NOWHERE.filter((module) => packagesOf(name).has(module))]).toEqual([name, []]);
      const areas = new Set(
        modulesOf(name).map((module) => /^functions\/(?!shared\/)(?:system\/)?[^/]+/.exec(module)?.[0]),
      );
      areas.delete(undefined);
      expect([name, areas.size]).toEqual([name, 1]);
      expect(modulesOf(name).filter((module) => module.startsWith('local-host/'))).toEqual([]);
    }
  });

  it.each(WITHOUT_ROBOT)('of %s contain no robot link', (name) => {
    expect(packagesOf(name)).not.toContain('mqtt');
    expect(modulesOf(name).filter((module) => module.includes('/robot-link/'))).toEqual([]);
  });

  it('are small', () => {
    const sizes = Object.keys(modules).map((name) => [name, statSync(join(BUNDLES, name, 'index.mjs')).size] as const);
    const most = (name: string) => (WITHOUT_ROBOT.includes(name) ? MAX_BYTES : MAX_BYTES_WITH_ROBOT);
    expect(sizes.filter(([name, size]) => size > most(name))).toEqual([]);
  });

  it('only contain the packages listed here', () => {
    const all = new Set(Object.keys(modules).flatMap((name) => [...packagesOf(name)]));
    expect([...all].filter((name) => !ALLOWED.has(name))).toEqual([]);
  });
});

/** A new package in the cloud is a new start-up cost and a new risk: it is entered here by hand. */
const ALLOWED = new Set([
  '@middy/core',
  '@middy/http-json-body-parser',
  '@middy/util',
  'jose',
  'rate-limiter-flexible',
  'zod',
  // pino and what it is made of
  '@pinojs/redact',
  'atomic-sleep',
  'on-exit-leak-free',
  'pino',
  'pino-std-serializers',
  'quick-format-unescaped',
  'safe-stable-stringify',
  'sonic-boom',
  'thread-stream',
  // mqtt and what it is made of
  '@babel/runtime',
  'abort-controller',
  'broker-factory',
  'debug',
  'event-target-shim',
  'fast-unique-numbers',
  'has-flag',
  'inherits',
  'ms',
  'mqtt',
  'mqtt-packet',
  'process',
  'process-nextick-args',
  'rfdc',
  'safe-buffer',
  'string_decoder',
  'supports-color',
  'worker-timers',
  'worker-timers-broker',
]);

describe('A bundle run in isolation like on Lambda', () => {
  const secret = `rk_${'s'.repeat(43)}`;
  let extension: SecretsExtension;
  beforeAll(async () => {
    extension = await startSecretsExtension();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const sha256 = createHash('sha256').update(secret).digest('hex');
    const record = { id: 'laptop', name: 'A laptop', level: 'USER', sha256, created_at: '2026-01-01T00:00:00Z' };
    extension.secrets
      .set(arnOf('signing-key'), String(privateKey.export({ type: 'pkcs8', format: 'pem' })))
      .set(arnOf('api-keys'), JSON.stringify({ keys: [{ ...record, revoked_at: null }] }))
      .set(arnOf('robot-url'), 'sim:');
  });
  afterAll(() => extension.stop());

  /** A process of its own with nothing but the bundle in a folder far from the sources. */
  async function invoke(name: string, request: ShortRequest): Promise<LambdaAnswer> {
    const event = JSON.stringify(completeEvent(request));
    const program = `
      const { handler } = await import(${JSON.stringify(join(BUNDLES, name, 'index.mjs'))});
      const answer = await handler(${event}, {});
      process.stdout.write(JSON.stringify(answer), () => process.exit(0));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: temporaryFolder(),
      timeout: 20_000,
      env: {
        ...extension.environment,
        AWS_LAMBDA_FUNCTION_NAME: name,
        SERVICE_LOG_LEVEL: 'silent',
        SERVICE_MODE: 'robot',
        SERVICE_ROBOT_ID: 'robot-1',
        SERVICE_JWT_SIGNING_KEY: arnOf('signing-key'),
        SERVICE_API_KEYS: arnOf('api-keys'),
        SERVICE_ROBOT_URL: arnOf('robot-url'),
      },
    });
    return JSON.parse(stdout) as LambdaAnswer; // as: it is what the handler returned
  }

  it('issues a token that the refresh, command and stop bundles accept, for one robot and for a fleet', async () => {
    const minted = await invoke('authenticate-v2', { path: '/rest/api/v2/auth', headers: { 'X-API-Key': secret } });
    expect(minted.statusCode).toBe(200);
    const headers = { authorization: minted.headers.authorization ?? '' };
    const refreshed = await invoke('refresh-token', { path: '/rest/api/v2/auth/refresh', headers });
    expect(refreshed.statusCode).toBe(200);
    const body = { command: 'sound_level', value: 40 };
    const sent = await invoke('send-int', { method: 'POST', path: '/rest/api/v1/int', headers, body });
    expect({ status: sent.statusCode, body: JSON.parse(sent.body) }).toMatchObject({ status: 200, body });
    const params = { robot_id: 'robot-1', command: 'get_language' };
    const asked = await invoke('get-command', { path: '/robot-1/rest/api/v2/get/get_language', headers, params });
    expect({ status: asked.statusCode, body: JSON.parse(asked.body) }).toMatchObject({
      status: 200,
      body: { command: 'get_language' },
    });
    const stopped = await invoke('stop', { method: 'POST', path: '/rest/api/v2/stop', headers });
    expect(JSON.parse(stopped.body)).toMatchObject({ stopped: true });
  });

  it('serves the API document of the cloud routes with their URLs there', async () => {
    const answer = await invoke('get-openapi', { path: '/rest/openapi.json' });
    const document = JSON.parse(answer.body) as { servers: { url: string }[]; paths: Record<string, unknown> };
    expect(document.servers.map(({ url }) => url)).toEqual(['/rest', '/{robot_id}/rest']);
    expect(document.paths).toHaveProperty(['/api/v2/stop']);
    expect(document.paths).not.toHaveProperty(['/metrics']);
    expect(answer.headers.etag).toMatch(/^"[\w-]{43}"$/);
  });

  it('serves the status and the public keys', async () => {
    const status = await invoke('get-status', { path: '/rest/status' });
    expect(JSON.parse(status.body)).toMatchObject({ status: 'ok', version: '1.0.0', robot: 'connected' });
    const jwks = await invoke('get-jwks', { path: '/rest/.well-known/jwks.json' });
    expect(JSON.parse(jwks.body).keys).toHaveLength(1);
  });
});
