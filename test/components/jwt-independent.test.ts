import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as authenticateV2 from '../../functions/auth/authenticate-v2.handler.ts';
import * as getJwks from '../../functions/auth/get-jwks.handler.ts';
import { newKey } from '../../functions/shared/identity/adapters/signing-keys/pem.ts';
import { describeWith } from '../support/components.ts';
import { invoke } from '../support/invoke.ts';
import { testConfig, testPorts } from '../support/world.ts';

/** As a stream server does: the keys from the JWKS URL, the token from the header or from `?jwt=` of the stream's URL. */
const VERIFIER = `
import json, sys, urllib.parse, jwt
request = json.load(sys.stdin)
where = request['where']
token = where.split(' ')[1] if where.startswith('Bearer ') else urllib.parse.parse_qs(urllib.parse.urlsplit(where).query)['jwt'][0]
try:
    key = jwt.PyJWKClient(request['jwks']).get_signing_key_from_jwt(token).key
    claims = jwt.decode(token, key, algorithms=['ES256'], audience='robot-1', issuer='robot-rest',
                        options={'require': ['exp', 'iss', 'aud', 'sub']})
    print(json.dumps({'claims': claims}))
except jwt.PyJWTError as error:
    print(json.dumps({'refused': type(error).__name__}))
`;

describeWith('python3-jwt', '/usr/lib/python3/dist-packages/jwt/jwks_client.py', 'An independent JWT library', () => {
  const ports = testPorts();
  let server: Server;
  let jwks: string;

  beforeAll(async () => {
    server = createServer(async (_request, response) => {
      const { status, headers, body } = await invoke(getJwks.handler, { ports });
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    jwks = `http://127.0.0.1:${(server.address() as AddressInfo).port}/.well-known/jwks.json`; // as: a TCP listener
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
  });

  async function verify(where: string) {
    const running = promisify(execFile)('/usr/bin/python3', ['-c', VERIFIER]);
    running.child.stdin?.end(JSON.stringify({ where, jwks }));
    return JSON.parse((await running).stdout);
  }

  async function authenticate(from = ports) {
    const query = { username: 'camera', mediamtx_publish: 'true' };
    return (
      (await invoke(authenticateV2.handler, { ports: from, listener: 'socket', query })).headers.authorization ?? ''
    );
  }

  const asStreamUrl = (bearer: string) => `rtsp://127.0.0.1:8554/head?jwt=${bearer.slice('Bearer '.length)}`;

  it('accepts a token through the JWKS URL, from the header and from a stream URL', async () => {
    const bearer = await authenticate();
    const { claims } = await verify(bearer);
    expect(claims).toMatchObject({
      username: 'camera',
      mediamtx_permissions: [
        { action: 'read', path: '' },
        { action: 'publish', path: '' },
      ],
    });
    expect(await verify(asStreamUrl(bearer))).toEqual({ claims });
  });

  it('rejects a token with a raised level or a changed signature', async () => {
    const [header, payload = '', signature = ''] = (await authenticate()).split('.');
    const claims = Buffer.from(payload, 'base64url').toString();
    const raised = Buffer.from(claims.replace('ADMIN', 'ENCHANTER')).toString('base64url');
    expect(await verify(`${header}.${raised}.${signature}`)).toEqual({ refused: 'InvalidSignatureError' });
    const changed = `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`;
    expect(await verify(`${header}.${payload}.${changed}`)).toEqual({ refused: 'InvalidSignatureError' });
  });

  it('rejects a token of another robot or another key', async () => {
    const { pem } = newKey();
    const foreign = testPorts({ config: testConfig({ SERVICE_JWT_SIGNING_KEY: pem }) });
    expect(await verify(await authenticate(foreign))).toEqual({ refused: 'PyJWKClientError' });
    const path = ports.config.SERVICE_JWT_SIGNING_KEY_PATH;
    const other = testConfig({ SERVICE_JWT_SIGNING_KEY_PATH: path, SERVICE_ROBOT_ID: 'robot-2' });
    expect(await verify(await authenticate(testPorts({ config: other })))).toEqual({ refused: 'InvalidAudienceError' });
  });

  it('rejects an expired token', async () => {
    const past = testPorts({ config: ports.config, clock: () => Date.now() - 3_600_000 });
    expect(await verify(await authenticate(past))).toEqual({ refused: 'ExpiredSignatureError' });
  });
});
