import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { give } from '../../functions/shared/port.ts';
import { SimulatedWifi } from '../../functions/system/network/adapters/simulated/simulated-wifi.ts';
import { wifi } from '../../functions/system/network/ports.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

describe.each(['v1', 'v2'])('The simulated Wi-Fi over %s', (version) => {
  const list = `/api/${version}/network/get_wifi_list`;
  const configure = `/api/${version}/network/configure/`;
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({
      given: [give(wifi, new SimulatedWifi(temporaryFolder(), Date.now, { scanMs: 2, joinMs: 5 }))],
    });
  });
  afterAll(() => service.stop());

  const join = (body: unknown) => service.as('ENCHANTER', configure, { method: 'POST', body });

  it('lists networks, strongest first, hidden ones without a name', async () => {
    const { status, json } = await service.as('ADMIN', list);
    expect(status).toBe(200);
    expect(json.current.ssid).toBe('Robot Lab');
    const signals = json.networks.map(({ signal }: { signal: number }) => signal);
    expect(signals).toEqual([...signals].sort((a, b) => b - a));
    expect(json.networks.filter(({ ssid }: { ssid: string }) => ssid === '')).toHaveLength(1);
  });

  it('connects, and records the outcome', async () => {
    const { status, json } = await join({ ssid: 'Workshop', password: 'simulated', band: '2.4GHz' });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      ssid: 'Workshop',
      connected: true,
      connection: { ssid: 'Workshop', band: '2.4GHz', ip_addresses: ['198.51.100.23'] },
    });
    const after = (await service.as('ADMIN', list)).json;
    expect(after.current.ssid).toBe('Workshop');
    expect(after.last_configure).toMatchObject({ ssid: 'Workshop', outcome: 'connected' });
    expect(after.networks.find(({ ssid }: { ssid: string }) => ssid === 'Workshop')).toMatchObject({
      in_use: true,
      saved: true,
    });
  });

  it.each([
    [{ ssid: 'Robot Lab', password: 'not this one' }, 422, 'wifi_wrong_password'],
    [{ ssid: 'Lab WPA3', password: 'not this one' }, 422, 'wifi_wrong_password'],
    [{ ssid: 'No Address' }, 422, 'wifi_no_address'],
    [{ ssid: 'Nowhere' }, 422, 'wifi_ssid_not_found'],
    [{ ssid: 'Secret', is_hidden: true }, 422, 'wifi_ssid_not_found'],
    [{ ssid: 'Workshop', password: 'simulated', band: 'a' }, 422, 'wifi_ssid_not_found'],
    [
      { ssid: 'Campus', eap_method: 'PEAP', identity: 'eve', password: 'simulated', subject_match: 'x' },
      422,
      'wifi_eap_rejected',
    ],
  ])('answers %j with %i %s, and restores the previous connection', async (body, status, code) => {
    const before = (await service.as('ADMIN', list)).json.current;
    const answer = await join(body);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    const { current, last_configure } = (await service.as('ADMIN', list)).json;
    expect(current).toEqual(before);
    expect(last_configure).toMatchObject({ outcome: 'failed', code });
  });

  it('rejects a missing certificate by field name before using the radio', async () => {
    const campus = { ssid: 'Campus', eap_method: 'PEAP', identity: 'robot', password: 'simulated' };
    const { status, json } = await join({ ...campus, ca_cert: '/nowhere/ca.pem' });
    expect([status, json.code, json.errors[0].pointer]).toEqual([422, 'validation_failed', '/ca_cert']);
  });

  it.each([
    { ssid: 'Lab WPA3', password: 'simulated' },
    { ssid: 'Backroom', is_hidden: true, password: 'simulated' },
    { ssid: 'Café' },
    {
      ssid: 'Campus',
      eap_method: 'TTLS',
      phase2: 'PAP',
      identity: 'robot',
      password: 'simulated',
      domain_suffix_match: 'campus.example',
    },
  ])('joins with %j', async (body) => {
    expect((await join(body)).json).toMatchObject({ ssid: body.ssid, connected: true });
  });

  it('records the change in the audit trail, without its secrets', async () => {
    await join({ ssid: 'Robot Lab', password: 'a very secret one' });
    const { text, json } = await service.as('ENCHANTER', `/api/${version}/audit/?action=network.configure&limit=1`);
    expect(json.entries[0]).toMatchObject({ subject: { ssid: 'Robot Lab' }, outcome: 'wifi_wrong_password' });
    expect(text).not.toContain('a very secret one');
  });

  it('is only accessible for operators', async () => {
    for (const level of ['USER', undefined] as const) {
      const status = level === undefined ? 401 : 403;
      expect((await service.as(level, list)).status).toBe(status);
      expect((await service.as(level, configure, { method: 'POST', body: { ssid: 'Café' } })).status).toBe(status);
    }
  });
});
