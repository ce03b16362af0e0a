import { afterEach, describe, expect, it } from '@jest/globals';
import { keyStore } from '../../../functions/shared/identity/ports.ts';
import { give } from '../../../functions/shared/port.ts';
import { FakeKeyStore } from '../../support/auth.ts';
import { http } from '../../support/http.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
async function start(settings: Record<string, string> = {}): Promise<void> {
  service = await startTestService({ settings, given: [give(keyStore, new FakeKeyStore())] });
}
afterEach(() => service.stop());

const knock = (key: string, more: Record<string, string> = {}, path = '/api/v2/auth/') =>
  http(service.url, path, { headers: { 'x-api-key': key, ...more } });

async function guesses(
  count: number,
  headers: (index: number) => Record<string, string> = () => ({}),
): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const path = index % 2 === 0 ? '/api/v2/auth/' : '/rest/api/v1/auth';
    statuses.push((await knock(`rk_guess-${index}`, headers(index), path)).status);
  }
  return statuses;
}

describe('Guessing API keys', () => {
  it('is limited to five attempts a minute over all routes, while the right key still works', async () => {
    await start();
    expect(await guesses(7)).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const refused = await knock('rk_another');
    expect(refused.json.code).toBe('rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await knock('rk_k1')).status).toBe(200);
  });

  it('is not reset by an address in a header that any client can send', async () => {
    await start();
    const spoofed = (index: number) => ({
      'x-forwarded-for': `10.0.0.${index}`,
      'x-real-ip': `10.0.1.${index}`,
      forwarded: `for=10.0.2.${index}`,
    });
    expect(await guesses(6, spoofed)).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('is counted by the address from a trusted proxy, ignoring those to its left', async () => {
    await start({ SERVICE_TRUSTED_PROXY: '127.0.0.1/32' });
    const spoofed = (index: number) => ({ 'x-forwarded-for': `10.9.9.${index}, 203.0.113.7` });
    expect(await guesses(6, spoofed)).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await knock('rk_wrong', { 'x-forwarded-for': '203.0.113.8' })).status).toBe(401);
  });

  it('gets the same response for an unknown key and a part of a valid one', async () => {
    await start();
    const [unknown, part] = [await knock('rk_zz'), await knock('rk_k')];
    expect(part.json.detail).toBe(unknown.json.detail);
  });
});
