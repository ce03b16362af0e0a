import { describe, expect, it } from '@jest/globals';
import { WiFiConfig } from '../../../../functions/system/network/wifi-config.schema.ts';

const eap = { ssid: 'Corp', eap_method: 'PEAP', identity: 'bob', password: 'hunter2' };

describe('WiFiConfig', () => {
  it('needs only the name', () => {
    expect(WiFiConfig.parse({ ssid: 'Lobby' })).toEqual({
      ssid: 'Lobby',
      password: null,
      is_hidden: false,
      eap_method: null,
      phase2: null,
      identity: null,
      anonymous_identity: null,
      ca_cert: null,
      client_cert: null,
      private_key: null,
      private_key_password: null,
      subject_match: null,
      domain_suffix_match: null,
      security: null,
      band: null,
    });
  });

  it.each([
    ['a name of 32 characters', { ssid: 'x'.repeat(32) }],
    ['a name of 32 bytes in 16 characters', { ssid: 'é'.repeat(16) }],
    ['an empty text, as not given', { ssid: 'Lobby', security: 'open', password: '', identity: '' }],
    ['a password of 8 characters', { ssid: 'a', security: 'wpa-psk', password: '12345678' }],
    ['a password of 63 characters', { ssid: 'a', security: 'wpa-psk', password: '~'.repeat(63) }],
    ['a raw key', { ssid: 'a', security: 'wpa-psk', password: 'aF'.repeat(32) }],
    ['a password before the scan has told the security', { ssid: 'a', password: 'x' }],
    ['band a', { ssid: 'a', band: 'a' }],
    ['band 5GHz', { ssid: 'a', band: '5GHz' }],
    ['band bg', { ssid: 'a', band: 'bg' }],
    ['band 6GHz', { ssid: 'a', band: '6GHz' }],
    ['band 2.4GHz', { ssid: 'a', band: '2.4GHz' }],
    ['TTLS with PAP', { ...eap, eap_method: 'TTLS', phase2: 'PAP' }],
    ['PWD without phase2', { ...eap, eap_method: 'PWD' }],
    ['a client certificate with its key', { ...eap, client_cert: '/etc/ssl/certs/c', private_key: '/etc/ssl/certs/k' }],
  ])('takes %s', (_what, config) => {
    expect(WiFiConfig.safeParse(config).success).toBe(true);
  });

  it.each([
    ['no name', {}, 'ssid'],
    ['an empty name', { ssid: '' }, 'ssid'],
    ['a name of 33 characters', { ssid: 'x'.repeat(33) }, 'ssid'],
    ['a name of 33 bytes in 17 characters', { ssid: `${'é'.repeat(16)}x` }, 'ssid'],
    ['a name of 9 emoji', { ssid: '🤖'.repeat(9) }, 'ssid'],
    ['a name with a line break', { ssid: 'a\nb' }, 'ssid'],
    ['a name with NUL', { ssid: 'a\u0000' }, 'ssid'],
    ['a name with half a character', { ssid: '\ud800' }, 'ssid'],
    ['a name that is a number', { ssid: 5 }, 'ssid'],
    ['a password with a line break', { ssid: 'a', password: 'psk\nautoconnect=1' }, 'password'],
    ['a password of 7 characters', { ssid: 'a', security: 'wpa-psk', password: '1234567' }, 'password'],
    [
      'a password of 64 characters that is no key',
      { ssid: 'a', security: 'wpa-psk', password: 'g'.repeat(64) },
      'password',
    ],
    ['a password beyond ASCII', { ssid: 'a', security: 'wpa-psk', password: 'pässword' }, 'password'],
    ['a raw key for WPA3', { ssid: 'a', security: 'sae', password: 'f'.repeat(64) }, 'password'],
    ['WPA-PSK without a password', { ssid: 'a', security: 'wpa-psk' }, 'password'],
    ['a short password for a hidden network', { ssid: 'a', is_hidden: true, password: 'x' }, 'password'],
    ['an open network with a password', { ssid: 'a', security: 'open', password: '12345678' }, 'password'],
    ['WPA-PSK with an identity', { ssid: 'a', security: 'wpa-psk', password: '12345678', identity: 'bob' }, 'identity'],
    ['WEP', { ssid: 'a', security: 'wep' }, 'security'],
    ['band 6 GHz', { ssid: 'a', band: '6 GHz' }, 'band'],
    ['band 5ghz', { ssid: 'a', band: '5ghz' }, 'band'],
    ['EAP method TLS', { ...eap, eap_method: 'TLS' }, 'eap_method'],
    ['EAP method peap', { ...eap, eap_method: 'peap' }, 'eap_method'],
    ['802.1X without a method', { ssid: 'a', security: 'wpa-eap', identity: 'bob', password: 'x' }, 'eap_method'],
    ['an identity without a method', { ssid: 'a', identity: 'bob', password: 'x' }, 'eap_method'],
    ['802.1X without an identity', { ...eap, identity: null }, 'identity'],
    ['802.1X without a password', { ...eap, password: null }, 'password'],
    ['phase2 MD5', { ...eap, phase2: 'MD5' }, 'phase2'],
    ['PWD with phase2', { ...eap, eap_method: 'PWD', phase2: 'MSCHAPV2' }, 'phase2'],
    ['PEAP with PAP, which it cannot carry', { ...eap, phase2: 'PAP' }, 'phase2'],
    ['FAST with CHAP, which it cannot carry', { ...eap, eap_method: 'FAST', phase2: 'CHAP' }, 'phase2'],
    ['a certificate without its key', { ...eap, client_cert: '/etc/ssl/certs/c' }, 'private_key'],
    ['a key without its certificate', { ...eap, private_key: '/etc/ssl/certs/k' }, 'client_cert'],
    ['a key password without a key', { ...eap, private_key_password: 'x' }, 'private_key_password'],
    ['a control character in an identity', { ...eap, identity: 'bob\u001b[2J' }, 'identity'],
    ['is_hidden that is no boolean', { ssid: 'a', is_hidden: 'true' }, 'is_hidden'],
  ])('refuses %s', (_what, config, field) => {
    const parsed = WiFiConfig.safeParse(config);
    expect([...new Set(parsed.error?.issues.map((issue) => issue.path.join('/')))]).toEqual([field]);
  });

  it('refuses a field it does not know', () => {
    expect(WiFiConfig.safeParse({ ssid: 'a', passphrase: '12345678' }).success).toBe(false);
  });

  it.each([
    ['a password', { ssid: 'a', security: 'wpa-psk', password: 'hunter2' }],
    ['a key password', { ...eap, private_key_password: 'hunter2' }],
  ])('never repeats %s in its errors', (_what, config) => {
    expect(JSON.stringify(WiFiConfig.safeParse(config).error?.issues)).not.toContain('hunter2');
  });
});
