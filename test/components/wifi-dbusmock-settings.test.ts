import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { DBUSMOCK, type MockedWifi, startMockedWifi } from '../support/mocked-wifi.ts';
import { temporaryFolder } from '../support/world.ts';

/** Sections every trial has; the uuid is made anew each time, and nothing connects to it by itself yet. */
const frame = (ssid: string, wireless: Record<string, unknown> = {}) => ({
  connection: {
    id: ['s', ssid],
    uuid: ['s', expect.stringMatching(/^[0-9a-f-]{36}$/)],
    type: ['s', '802-11-wireless'],
    autoconnect: ['b', false],
  },
  '802-11-wireless': { ssid: ['ay', ssid], mode: ['s', 'infrastructure'], ...wireless },
  ipv4: { method: ['s', 'auto'], 'dhcp-timeout': ['i', 25] },
  ipv6: { method: ['s', 'auto'] },
});

describeWith('python3-dbusmock', DBUSMOCK, 'The profile passed to NetworkManager', () => {
  const home = temporaryFolder();
  const data = join(home, '.robot-rest');
  let wifi: MockedWifi;

  beforeAll(async () => {
    wifi = await startMockedWifi(home);
    for (const file of ['ca.pem', 'client.pem', 'client.key']) writeFileSync(join(data, file), 'a file');
  });
  beforeEach(() => wifi.reset());
  afterAll(() => wifi?.stop());

  const exact: ReadonlyArray<
    readonly [what: string, body: Record<string, unknown>, settings: Record<string, unknown>]
  > = [
    [
      'WPA-PSK, as the scan tells, in a band',
      { ssid: 'HomeNet', password: 'correct horse', band: '2.4GHz' },
      {
        ...frame('HomeNet', { band: ['s', 'bg'] }),
        '802-11-wireless-security': { 'key-mgmt': ['s', 'wpa-psk'], psk: ['s', 'correct horse'] },
      },
    ],
    ['an open network', { ssid: 'Lobby' }, frame('Lobby')],
    [
      'WPA3, as the scan tells',
      { ssid: 'Modern', password: 'correct horse', band: 'a' },
      {
        ...frame('Modern', { band: ['s', 'a'] }),
        '802-11-wireless-security': { 'key-mgmt': ['s', 'sae'], psk: ['s', 'correct horse'] },
      },
    ],
    [
      'a hidden network with a name beyond ASCII',
      { ssid: 'Zuhause Küche', password: 'correct horse', is_hidden: true },
      {
        ...frame('Zuhause Küche', { hidden: ['b', true] }),
        '802-11-wireless-security': { 'key-mgmt': ['s', 'wpa-psk'], psk: ['s', 'correct horse'] },
      },
    ],
    [
      'PEAP with MSCHAPV2, the server checked by the CAs of the system and its name',
      {
        ssid: 'Corp',
        security: 'wpa-eap',
        eap_method: 'PEAP',
        phase2: 'MSCHAPV2',
        identity: 'bob',
        anonymous_identity: 'anonymous',
        password: 'hunter2',
        domain_suffix_match: 'radius.lab',
      },
      {
        ...frame('Corp'),
        '802-11-wireless-security': { 'key-mgmt': ['s', 'wpa-eap'] },
        '802-1x': {
          eap: ['as', ['peap']],
          identity: ['s', 'bob'],
          'anonymous-identity': ['s', 'anonymous'],
          password: ['s', 'hunter2'],
          'phase2-auth': ['s', 'mschapv2'],
          'system-ca-certs': ['b', true],
          'domain-suffix-match': ['s', 'radius.lab'],
        },
      },
    ],
    [
      'TTLS with PAP, a CA of its own, a client certificate and its key',
      {
        ssid: 'Corp',
        eap_method: 'TTLS',
        phase2: 'PAP',
        identity: 'bob',
        password: 'hunter2',
        ca_cert: join(data, 'ca.pem'),
        client_cert: join(data, 'client.pem'),
        private_key: join(data, 'client.key'),
        private_key_password: 'key password',
        subject_match: 'CN=radius',
      },
      {
        ...frame('Corp'),
        '802-11-wireless-security': { 'key-mgmt': ['s', 'wpa-eap'] },
        '802-1x': {
          eap: ['as', ['ttls']],
          identity: ['s', 'bob'],
          password: ['s', 'hunter2'],
          'phase2-auth': ['s', 'pap'],
          'ca-cert': ['ay', `file://${join(data, 'ca.pem')}\0`],
          'client-cert': ['ay', `file://${join(data, 'client.pem')}\0`],
          'private-key': ['ay', `file://${join(data, 'client.key')}\0`],
          'private-key-password': ['s', 'key password'],
          'subject-match': ['s', 'CN=radius'],
        },
      },
    ],
    [
      'PWD, which has neither tunnel nor certificates',
      { ssid: 'Corp', eap_method: 'PWD', identity: 'bob', password: 'hunter2' },
      {
        ...frame('Corp'),
        '802-11-wireless-security': { 'key-mgmt': ['s', 'wpa-eap'] },
        '802-1x': { eap: ['as', ['pwd']], identity: ['s', 'bob'], password: ['s', 'hunter2'] },
      },
    ],
    [
      'FAST, its key fetched only from a checked server',
      {
        ssid: 'Corp',
        eap_method: 'FAST',
        phase2: 'GTC',
        identity: 'bob',
        password: 'hunter2',
        domain_suffix_match: 'radius.lab',
      },
      {
        ...frame('Corp'),
        '802-11-wireless-security': { 'key-mgmt': ['s', 'wpa-eap'] },
        '802-1x': {
          eap: ['as', ['fast']],
          identity: ['s', 'bob'],
          password: ['s', 'hunter2'],
          'phase2-auth': ['s', 'gtc'],
          'phase1-fast-provisioning': ['s', '2'],
          'system-ca-certs': ['b', true],
          'domain-suffix-match': ['s', 'radius.lab'],
        },
      },
    ],
    [
      'PEAP with EAP inside',
      {
        ssid: 'Corp',
        eap_method: 'PEAP',
        phase2: 'EAP',
        identity: 'bob',
        password: 'hunter2',
        subject_match: 'radius',
      },
      {
        ...frame('Corp'),
        '802-11-wireless-security': { 'key-mgmt': ['s', 'wpa-eap'] },
        '802-1x': {
          eap: ['as', ['peap']],
          identity: ['s', 'bob'],
          password: ['s', 'hunter2'],
          'phase2-autheap': ['s', 'mschapv2'],
          'system-ca-certs': ['b', true],
          'subject-match': ['s', 'radius'],
        },
      },
    ],
  ];

  it.each(exact)('tries %s with exactly these settings', async (_what, body, settings) => {
    await wifi.configure(body);
    const trial = wifi.mock.calls().find(([member]) => member === 'AddConnection2');
    expect(trial?.[1]).toEqual(settings);
  });
});
