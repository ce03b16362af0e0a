import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { DBUSMOCK, type MockedWifi, startMockedWifi } from '../support/mocked-wifi.ts';
import type { NetworkManagerMock } from '../support/network-manager-mock.ts';
import { until } from '../support/processes.ts';
import { startTestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

describeWith('python3-dbusmock', DBUSMOCK, 'Wi-Fi through the D-Bus calls of NetworkManager, mocked', () => {
  let wifi: MockedWifi;
  let mock: NetworkManagerMock;

  beforeAll(async () => {
    wifi = await startMockedWifi();
    mock = wifi.mock;
  });
  beforeEach(() => wifi.reset());
  afterAll(() => wifi?.stop());

  const configure = (body: unknown) => wifi.configure(body);
  const members = () => wifi.members();

  it('lists scan results, strongest first, with the current connection and the time of the scan', async () => {
    const before = Date.now();
    const { status, json } = await wifi.list();
    expect(status).toBe(200);
    expect(json.current).toEqual({
      ssid: 'HomeNet',
      bssid: '00:23:F8:7E:12:BB',
      signal: 82,
      frequency: 2425,
      band: '2.4GHz',
      security: 'wpa-psk',
      ip_addresses: [],
    });
    const rows = json.networks.map((each: Record<string, unknown>) => [
      each.ssid,
      each.signal,
      each.band,
      each.security,
    ]);
    expect(rows).toEqual([
      ['HomeNet', 82, '2.4GHz', 'wpa-psk'],
      ['Corp', 60, '5GHz', 'wpa-eap'],
      ['', 55, '5GHz', 'wpa-psk'],
      ['Lobby', 30, '2.4GHz', 'open'],
      ['Modern', 20, '6GHz', 'sae'],
    ]);
    expect(json.networks[0]).toMatchObject({ in_use: true, saved: true });
    expect(json.networks[1]).toMatchObject({ in_use: false, saved: false });
    expect(Date.parse(json.scanned_at)).toBeGreaterThan(before - 1_000);
    expect(json.last_configure).toBeNull();
  });

  it('returns the existing list with its true time if a scan is refused because one has just run', async () => {
    const { json: fresh } = await wifi.list();
    await mock.behave('scan', 'refused');
    const { status, json } = await wifi.list();
    expect(status).toBe(200);
    expect(json.networks).toEqual(fresh.networks);
    expect(Math.abs(Date.parse(json.scanned_at) - Date.parse(fresh.scanned_at))).toBeLessThan(100);
  });

  it('answers a failed scan with an error, never with an empty list', async () => {
    await mock.behave('scan', 'fails');
    const { status, json } = await wifi.list();
    expect([status, json.code]).toEqual([503, 'component_unavailable']);
    expect(json.detail).toContain('NetworkManager');
  });

  it.each([
    ['HomeNet', 'wrong password', 7, 422, 'wifi_wrong_password'],
    ['HomeNet', 'correct horse', 53, 422, 'wifi_ssid_not_found'],
    ['HomeNet', 'correct horse', 17, 422, 'wifi_no_address'],
    ['HomeNet', 'correct horse', 39, 409, 'conflict'],
    ['HomeNet', 'correct horse', 35, 503, 'component_unavailable'],
    ['Lobby', null, 11, 504, 'wifi_timeout'],
  ])(
    'rolls back immediately when %s with "%s" ends with state reason %i',
    async (ssid, password, reason, status, code) => {
      const profiles = await mock.profiles();
      await mock.behave('outcome', reason);
      const answer = await configure({ ssid, password });
      expect([answer.status, answer.json.code]).toEqual([status, code]);
      expect(members()).toEqual(['CheckpointCreate', 'AddConnection2', 'ActivateConnection', 'CheckpointRollback']);
      expect(await mock.profiles()).toEqual(profiles);
      const { json } = await wifi.list();
      expect(json.current.ssid).toBe('HomeNet');
      expect(json.last_configure).toMatchObject({ ssid, outcome: 'failed', code });
    },
  );

  it('reports it if NetworkManager cannot roll back', async () => {
    await mock.behave('outcome', 7);
    await mock.behave('rollback', 'fails');
    const { status, json } = await configure({ ssid: 'HomeNet', password: 'wrong password' });
    expect([status, json.code]).toEqual([422, 'wifi_wrong_password']);
    expect(json.detail).toContain('has not been restored yet');
  });

  it('distinguishes a rejected identity from a rejected password', async () => {
    await mock.behave('outcome', 7);
    const body = { ssid: 'Corp', eap_method: 'PEAP', identity: 'bob', password: 'hunter2', domain_suffix_match: 'lab' };
    expect((await configure(body)).json.code).toBe('wifi_eap_rejected');
  });

  it('changes nothing without checkpoint support', async () => {
    await mock.behave('checkpoints', false);
    const { status, json } = await configure({ ssid: 'HomeNet', password: 'correct horse' });
    expect([status, json.code]).toEqual([503, 'component_unavailable']);
    expect(json.detail).toContain('Nothing was changed');
    expect(members()).toEqual(['CheckpointCreate']);
  });

  it('joins under a checkpoint, stores the profile once it works, then removes the one it replaces', async () => {
    expect(await mock.profiles()).toContain(wifi.homeProfile);
    const { status, json } = await configure({ ssid: 'HomeNet', password: 'correct horse' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ ssid: 'HomeNet', connected: true, connection: { ssid: 'HomeNet' } });
    expect(members()).toEqual([
      'CheckpointCreate',
      'AddConnection2',
      'ActivateConnection',
      'Update2',
      'CheckpointDestroy',
    ]);
    const [checkpoint, added, , stored] = mock.calls();
    expect(checkpoint).toEqual([
      'CheckpointCreate',
      ['ao', ['/org/freedesktop/NetworkManager/Devices/wifi0']],
      ['u', 60],
      ['u', 2],
    ]);
    expect(added?.[2]).toEqual(['u', 0x2]); // in memory
    expect(added).toHaveProperty('1.connection.autoconnect', ['b', false]);
    expect(stored?.[2]).toEqual(['u', 0x1]); // to disk
    const tried = added?.[1] as { connection: object }; // as: the settings of a profile
    const kept = { ...tried, connection: { ...tried.connection, autoconnect: ['b', true] } };
    expect(stored?.[1]).toEqual(kept); // in all else as it was tried
    expect(await mock.profiles()).not.toContain(wifi.homeProfile);
    const { json: list } = await wifi.list();
    expect(list.last_configure).toMatchObject({ ssid: 'HomeNet', outcome: 'connected' });
  });

  it('can roll back to a network that it has just joined', async () => {
    expect((await configure({ ssid: 'Lobby' })).status).toBe(200);
    mock.forget();
    const wrong = await configure({ ssid: 'HomeNet', password: 'wrong password' });
    expect([wrong.status, wrong.json.code]).toEqual([422, 'wifi_wrong_password']);
    expect(wrong.json.detail).not.toContain('has not been restored');
    expect(members()).toEqual([
      ...['CheckpointCreate', 'CheckpointDestroy', 'ActivateConnection'], // the present network, as it is stored
      ...['CheckpointCreate', 'AddConnection2', 'ActivateConnection', 'CheckpointRollback'],
    ]);
    const [renewed, tried] = mock.calls().filter(([member]) => member === 'ActivateConnection');
    expect(renewed?.[1]).not.toEqual(tried?.[1]);
    mock.forget();
    await configure({ ssid: 'HomeNet', password: 'wrong password' });
    expect(members()[1]).toBe('AddConnection2'); // no need to join it once more again
  });

  it('changes nothing if the network that was just joined cannot be joined again', async () => {
    expect((await configure({ ssid: 'Lobby' })).status).toBe(200);
    mock.forget();
    await mock.behave('outcome', 53);
    const { status, json } = await configure({ ssid: 'HomeNet', password: 'correct horse' });
    expect([status, json.code]).toEqual([503, 'component_unavailable']);
    expect(json.detail).toContain('Nothing was changed');
    expect(members()).toEqual(['CheckpointCreate', 'CheckpointDestroy', 'ActivateConnection']);
  });

  it('rejects a concurrent configuration, and completes the first one without its client', async () => {
    await mock.behave('delay_ms', 3_000); // the next request comes before its end on a slow machine, too
    const gone = new AbortController();
    const first = wifi.configure({ ssid: 'Lobby' }, gone.signal);
    first.catch(() => undefined); // it hangs up below
    await until('the join', () => members().includes('ActivateConnection'));
    const second = await configure({ ssid: 'HomeNet', password: 'correct horse' });
    expect([second.status, second.json.code]).toEqual([409, 'busy']);
    expect((await wifi.list()).json.last_configure).toMatchObject({
      ssid: 'Lobby',
      outcome: 'in_progress',
    });
    gone.abort();
    await until('the end of the join', () => members().includes('CheckpointDestroy'));
    const { json } = await wifi.list();
    expect(json.last_configure).toMatchObject({ ssid: 'Lobby', outcome: 'connected' });
  });

  it('leaves the rollback to NetworkManager when the service is stopped, and reports it after the restart', async () => {
    await mock.behave('outcome', 1000);
    const options = {
      settings: { HOME: temporaryFolder(), ...wifi.settings },
      limits: { drainGraceMs: 50, drainEndMs: 50 },
    };
    const first = await startTestService(options);
    const cut = first.as('ADMIN', '/api/v2/network/configure/', { method: 'POST', body: { ssid: 'Lobby' } });
    cut.catch(() => undefined); // the service ends before it answers
    await until('the join', () => members().includes('ActivateConnection'));
    await first.stop();
    expect(members()).toEqual(['CheckpointCreate', 'AddConnection2', 'ActivateConnection']);
    const second = await startTestService(options);
    const { json } = await second.as('ADMIN', '/api/v2/network/get_wifi_list');
    await second.stop();
    expect(json.last_configure).toEqual({ ssid: 'Lobby', outcome: 'interrupted', finished_at: null });
  });

  it('shows no password in argv, log or response, even if NetworkManager echoes it', async () => {
    const password = 'refuse this one';
    const answer = await configure({ ssid: 'HomeNet', password });
    expect([answer.status, answer.json.code]).toEqual([422, 'validation_failed']);
    expect(answer.json.detail).toBe('NetworkManager rejected the setting 802-11-wireless-security.psk.');
    await mock.behave('outcome', 7);
    await mock.behave('delay_ms', 300);
    const secret = 'hunter-in-the-night';
    const running = configure({ ssid: 'HomeNet', password: secret });
    await until('the join', () => members().includes('ActivateConnection'));
    const argv = commandLines();
    const refused = await running;
    expect(argv.length).toBeGreaterThan(1);
    for (const text of [argv.join('\n'), wifi.log(), answer.text, refused.text]) {
      expect(text).not.toContain(password);
      expect(text).not.toContain(secret);
    }
    expect(wifi.log()).toContain('/api/{version}/network/configure/');
  });

  it('says how to enable NetworkManager when it is gone', async () => {
    await mock.stopDaemon();
    for (const answer of [await wifi.list(), await configure({ ssid: 'Lobby' })]) {
      expect([answer.status, answer.json.code]).toEqual([503, 'component_unavailable']);
      expect(answer.json.detail).toContain('systemctl enable --now NetworkManager');
    }
  });
});

/** The command line of every process there is. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}
