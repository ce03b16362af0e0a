import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BUILT_AT } from '../../../../functions/shared/build-info.ts';
import { addressBlock } from '../../../../functions/shared/identity/address-block.ts';
import { createApiKeyGate } from '../../../../functions/shared/identity/api-key-gate.ts';
import { keyRecord, tokenWorld } from '../../../support/auth.ts';
import { refusal } from '../../../support/errors.ts';

const HOME = '198.51.100.7';

describe('The gate for API keys', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const open = () => {
    const world = tokenWorld();
    return { world, gate: createApiKeyGate(world) };
  };
  const guess = async (gate: ReturnType<typeof createApiKeyGate>, times: number, address = HOME) => {
    const codes: string[] = [];
    for (let i = 0; i < times; i++) codes.push((await refusal(() => gate.check('rk_wrong', address))).code);
    return codes;
  };

  it('accepts a valid key', async () => {
    expect(await open().gate.check('rk_k1', HOME)).toMatchObject({ id: 'k1', level: 'ADMIN' });
  });

  it.each([undefined, ''])('asks for a key when there is %p', async (secret) => {
    expect((await refusal(() => open().gate.check(secret, HOME))).code).toBe('missing_api_key');
  });

  it.each(['k1', 'rk_k', 'rk_k1 ', 'RK_K1', keyRecord('k1').sha256, 'x'.repeat(10_000)])(
    'refuses %p',
    async (secret) => {
      expect((await refusal(() => open().gate.check(secret, HOME))).code).toBe('api_key_invalid');
    },
  );

  it('refuses a revoked key', async () => {
    const { world, gate } = open();
    world.keyStore.records = [keyRecord('k1', 'ADMIN', { revoked_at: '2027-01-02T00:00:00Z' })];
    expect((await refusal(() => gate.check('rk_k1', HOME))).code).toBe('api_key_invalid');
  });

  it('refuses a key that has expired', async () => {
    const { world, gate } = open();
    world.keyStore.records = [keyRecord('k1', 'ADMIN', { expires_at: new Date(world.now).toISOString() })];
    expect((await refusal(() => gate.check('rk_k1', HOME))).code).toBe('api_key_invalid');
    world.now -= 1;
    expect(await gate.check('rk_k1', HOME)).toMatchObject({ id: 'k1' });
  });

  it('refuses a key limited to other robots', async () => {
    const { world, gate } = open();
    world.keyStore.records = [
      keyRecord('k1', 'ADMIN', { robots: ['robot-9'] }),
      keyRecord('k2', 'USER', { robots: ['robot-1'] }),
    ];
    expect((await refusal(() => gate.check('rk_k1', HOME))).code).toBe('insufficient_access');
    expect(await gate.check('rk_k2', HOME)).toMatchObject({ id: 'k2' });
  });

  it('throttles an address for a minute after five wrong keys', async () => {
    const { gate } = open();
    expect(await guess(gate, 7)).toEqual([...Array(5).fill('api_key_invalid'), 'rate_limited', 'rate_limited']);
    const { headers, status } = await refusal(() => gate.check('rk_wrong', HOME));
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    jest.advanceTimersByTime(60_001);
    expect(await guess(gate, 1)).toEqual(['api_key_invalid']);
  });

  it('keeps throttling until the minute is over', async () => {
    const { gate } = open();
    await guess(gate, 6);
    jest.advanceTimersByTime(58_000);
    expect(await guess(gate, 1)).toEqual(['rate_limited']);
  });

  it('never refuses a valid key because of wrong ones from the same address', async () => {
    const { gate } = open();
    await guess(gate, 20);
    expect(await gate.check('rk_k1', HOME)).toMatchObject({ id: 'k1' });
  });

  it('counts addresses of one IPv6 network together and others separately', async () => {
    const { gate } = open();
    for (let host = 1; host <= 5; host++) await guess(gate, 1, `2001:db8:1:2::${host}`);
    expect(await guess(gate, 1, '2001:db8:1:2:ffff::1')).toEqual(['rate_limited']);
    expect(await guess(gate, 1, '2001:db8:1:3::1')).toEqual(['api_key_invalid']);
  });

  it('gives no token while the clock is before the build date', async () => {
    const { world, gate } = open();
    world.now = BUILT_AT - 1;
    const error = await refusal(() => gate.check('rk_k1', HOME));
    expect([error.code, error.status]).toEqual(['component_unavailable', 503]);
    expect(error.message).toContain('"clock"');
    world.now = BUILT_AT;
    expect(await gate.check('rk_k1', HOME)).toMatchObject({ id: 'k1' });
  });
});

describe('The block of an address', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['2001:DB8:0001:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
    ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4'],
    ['', ''],
    ['not an address', 'not an address'],
  ])('of %p is %p', (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });
});
