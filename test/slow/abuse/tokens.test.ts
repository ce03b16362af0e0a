import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CompactEncrypt, decodeJwt, type JWTHeaderParameters, SignJWT } from 'jose';
import { signingKeys } from '../../../functions/shared/identity/ports.ts';
import { concretePaths } from '../../../local-host/http/router.ts';
import { ROUTES } from '../../../local-host/routes.ts';
import { http, rawExchange } from '../../support/http.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const PROTECTED = '/api/v2/commands/';
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

let service: TestService;
let token: string;
let kid: string;
beforeAll(async () => {
  service = await startTestService();
  token = await service.token('ENCHANTER');
  kid = (await service.ports.get(signingKeys)).current(Date.now()).kid;
});
afterAll(() => service.stop());

/** A token of the right claims, signed by somebody else, whose header says what the attacker likes. */
async function foreign(header: object): Promise<string> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const protectedHeader = { alg: 'ES256', typ: 'JWT', kid, ...header } as JWTHeaderParameters; // as: odd on purpose
  return new SignJWT(decodeJwt(token)).setProtectedHeader(protectedHeader).sign(privateKey);
}

async function hmac(): Promise<string> {
  const { json } = await http(service.url, '/.well-known/jwks.json');
  const signed = `${base64url({ alg: 'HS256', typ: 'JWT', kid })}.${base64url(decodeJwt(token))}`;
  return `${signed}.${createHmac('sha256', JSON.stringify(json.keys[0])).update(signed).digest('base64url')}`;
}

async function rsa(): Promise<string> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
}

/** Encrypted to nobody in particular; five parts instead of three. */
function jwe(): Promise<string> {
  const header = { alg: 'dir', enc: 'A256GCM', kid } as const;
  return new CompactEncrypt(Buffer.from(token)).setProtectedHeader(header).encrypt(randomBytes(32));
}

const attackerUrl = 'http://127.0.0.1:1/keys.json';

describe('A crafted token is 401 token_invalid:', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['alg none', () => `${base64url({ alg: 'none', kid })}.${base64url(decodeJwt(token))}.`],
    ['alg NoNe with a signature', () => `${base64url({ alg: 'NoNe', kid })}.${token.split('.').slice(1).join('.')}`],
    ['HS256 with the public key as its secret', hmac],
    ['RS256', rsa],
    ['a foreign key under our kid', () => foreign({})],
    ['no kid', () => foreign({ kid: undefined })],
    ['another kid', () => foreign({ kid: 'A'.repeat(43) })],
    ['a kid that is a path', () => foreign({ kid: '../../../../dev/null' })],
    ['a kid that is SQL', () => foreign({ kid: "' OR 1=1 --" })],
    ['a kid that is __proto__', () => foreign({ kid: '__proto__' })],
    ['keys at a URL (jku, x5u)', () => foreign({ jku: attackerUrl, x5u: attackerUrl })],
    ['a key inside the token (jwk)', () => foreign({ jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } })],
    ['a certificate inside the token (x5c)', () => foreign({ x5c: ['MIIB'] })],
    [
      'a critical extension',
      () => `${base64url({ alg: 'ES256', kid, crit: ['b64'], b64: false })}.${token.slice(token.indexOf('.') + 1)}`,
    ],
    ['a signature of zeros', () => `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(86)}`],
    [
      'a token inside a token',
      () => `${base64url({ alg: 'ES256', kid, cty: 'JWT' })}.${base64url(token)}.${token.split('.')[2]}`,
    ],
    ['an encrypted token', jwe],
    ['a token twice as long as any of ours', () => `${token}${'A'.repeat(2000)}`],
    ['padding', () => `${token}=`],
    ['one part more', () => `${token}.${token}`],
  ])('%s', async (_name, make) => {
    const headers = { authorization: `Bearer ${await make()}` };
    const answer = await http(service.url, PROTECTED, { headers });
    expect([answer.status, answer.json.code]).toEqual([401, 'token_invalid']);
    expect(answer.headers['www-authenticate']).toContain('Bearer');
  });

  it.each([
    ['no scheme', (good: string) => good],
    ['the scheme alone', () => 'Bearer'],
    ['another scheme', (good: string) => `Basic ${good}`],
    ['a tab behind the scheme', (good: string) => `Bearer\t${good}`],
    ['white space inside', (good: string) => `Bearer ${good.slice(0, 40)} ${good.slice(40)}`],
    ['two tokens', (good: string) => `Bearer ${good}, Bearer ${good}`],
  ])('%s in the header', async (_name, spoil) => {
    const answer = await http(service.url, PROTECTED, { headers: { authorization: spoil(token) } });
    expect([answer.status, answer.json.code]).toEqual([401, 'token_invalid']);
  });

  it('rejects two Authorization headers in any order', async () => {
    for (const two of [`Bearer ${token}\r\nauthorization: Bearer x`, `Bearer x\r\nAUTHORIZATION: Bearer ${token}`]) {
      const head = `GET ${PROTECTED} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${two}\r\nconnection: close\r\n\r\n`;
      expect(await rawExchange(service.url, [head])).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"bad_request"/);
    }
  });

  it('still accepts a valid token in the header', async () => {
    expect((await http(service.url, PROTECTED, { headers: { authorization: `bearer ${token}` } })).status).toBe(200);
  });
});

describe('A token outside of the Authorization header', () => {
  const guarded = ROUTES.filter(({ endpoint }) => !['public', 'api-key'].includes(String(endpoint.spec.access)));
  const calls = guarded.flatMap((route) =>
    concretePaths(route).map((path) => [route.method, path.replace(/\{\w+\+?\}/g, 'x')] as const),
  );

  it.each(['jwt', 'token', 'access_token', 'authorization'])(
    'is not looked for under ?%s= on any route',
    async (name) => {
      expect(calls.length).toBeGreaterThan(30);
      for (const [method, path] of calls) {
        const answer = await http(service.url, `${path}?${name}=${token}`, { method });
        expect([method, path, answer.status, answer.json.code]).toEqual([method, path, 401, 'missing_token']);
      }
    },
  );

  it('is ignored in cookies, bodies and proxy headers', async () => {
    const headers = {
      cookie: `token=${token}; jwt=${token}`,
      'proxy-authorization': `Bearer ${token}`,
      'x-access-token': token,
    };
    const answer = await http(service.url, '/api/v1/int/', {
      method: 'POST',
      headers,
      body: { token, command: 'sound_level', value: 1 },
    });
    expect([answer.status, answer.json.code]).toEqual([401, 'missing_token']);
  });
});
