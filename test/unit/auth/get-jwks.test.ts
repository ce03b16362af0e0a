import { describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, jwtVerify } from 'jose';
import * as authenticateV2 from '../../../functions/auth/authenticate-v2.handler.ts';
import * as getJwks from '../../../functions/auth/get-jwks.handler.ts';
import { invoke } from '../../support/invoke.ts';
import { testPorts } from '../../support/world.ts';

describe('GET /.well-known/jwks.json', () => {
  it('shows the public keys to anyone, cacheable for five minutes, without private fields', async () => {
    const { status, headers, body } = await invoke(getJwks.handler, { ports: testPorts() });
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=300');
    expect(body).toEqual({
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          x: expect.stringMatching(/^[\w-]{43}$/),
          y: expect.stringMatching(/^[\w-]{43}$/),
          kid: expect.stringMatching(/^[\w-]{43}$/),
          alg: 'ES256',
          use: 'sig',
        },
      ],
    });
  });

  it('verifies the tokens of this service', async () => {
    const ports = testPorts();
    const { body: jwks } = await invoke(getJwks.handler, { ports });
    const { body } = await invoke(authenticateV2.handler, { ports, listener: 'socket' });
    const options = { issuer: 'robot-rest', audience: 'robot-1', algorithms: ['ES256'] };
    const { payload } = await jwtVerify(body.token, createLocalJWKSet(jwks), options);
    expect(payload.client_id).toBe(body.client_id);
  });
});
