import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../../../functions/shared/config.ts';
import { createClientAddress } from '../../../../local-host/http/client-address.ts';

const PROXIES = ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1'];

describe('The address of a client', () => {
  it.each([
    ['203.0.113.7', undefined, '203.0.113.7'],
    ['203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['::ffff:203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['2001:db9::1', '198.51.100.1', '2001:db9::1'],
    ['192.0.2.2', '198.51.100.1', '192.0.2.2'],
    ['', '198.51.100.1', ''],
  ])('of the peer %j is its own, whatever it claims', (peer, forwardedFor, address) => {
    expect(createClientAddress(PROXIES)(peer, forwardedFor)).toEqual({ address, viaTrustedProxy: false });
  });

  it.each([
    ['10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['192.0.2.1', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['2001:db8:1::1', '6.6.6.6, 198.51.100.1,10.9.9.9 , ::ffff:192.0.2.1', '198.51.100.1'],
    ['::1', '2001:db9::7', '2001:db9::7'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', ' , ', '10.1.2.3'],
    ['10.1.2.3', '10.9.9.9', '10.1.2.3'],
    ['10.1.2.3', '6.6.6.6, unknown', '10.1.2.3'],
  ])('behind the proxy %s that forwards for %j is %s', (peer, forwardedFor, address) => {
    expect(createClientAddress(PROXIES)(peer, forwardedFor)).toEqual({ address, viaTrustedProxy: true });
  });

  it("is the peer's where no proxy is trusted", () => {
    const clientOf = createClientAddress([]);
    expect(clientOf('::ffff:10.1.2.3', '198.51.100.1')).toEqual({ address: '10.1.2.3', viaTrustedProxy: false });
  });

  it.each([
    '10.0.0.0/33',
    '2001:db8::/129',
    'proxy.example',
    '10.0.0/8',
    '10.0.0.0/',
    '/8',
    '10.0.0.0/8/8',
    '10.0.0.0/1e1',
  ])('cannot be configured with the block %s', (block) => {
    expect(() => createClientAddress([block])).toThrow(ConfigError);
  });
});
