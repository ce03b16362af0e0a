import { uptime } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { BusError } from '../../../../functions/shared/kit/system-bus.ts';
import { wifiDevice } from '../../../../functions/system/network/adapters/network-manager/device.ts';
import { NM, STATE } from '../../../../functions/system/network/adapters/network-manager/names.ts';
import { wifiProfiles } from '../../../../functions/system/network/adapters/network-manager/profiles.ts';
import { scan } from '../../../../functions/system/network/adapters/network-manager/scan.ts';
import { currentConnection, survey } from '../../../../functions/system/network/adapters/network-manager/survey.ts';
import { CONNECTED, connected, device, FakeManager, profile, WPA } from '../../../support/fake-network-manager.ts';

describe('The Wi-Fi device', () => {
  const devices = (...states: number[]) =>
    new FakeManager(
      {
        '/eth Device': { DeviceType: 1, Interface: 'eth0', State: STATE.activated },
        ...Object.fromEntries(
          states.map((State, n) => [`/wifi${n} Device`, { DeviceType: 2, Interface: `wlan${n}`, State }]),
        ),
      },
      { GetDevices: () => ['/eth', ...states.map((_, n) => `/wifi${n}`)] },
    ).manager;

  it('is the connected one', async () => {
    expect(await wifiDevice(devices(STATE.disconnected, STATE.activated))).toMatchObject({ interfaceName: 'wlan1' });
  });

  it.each([
    ['there is none', [], 'Plug one in'],
    ['it is not managed', [STATE.unmanaged], 'nmcli device set wlan0 managed yes'],
    ['its radio is off', [STATE.unavailable], 'nmcli radio wifi on'],
  ])('is 503 with advice when %s', async (_why, states, remedy) => {
    await expect(wifiDevice(devices(...states))).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringContaining(remedy),
    });
  });
});

describe('The visible networks', () => {
  it('come with the connection, its reachable addresses, and the time of the last scan', async () => {
    const now = 1_800_000_000_000;
    const booted = [now - uptime() * 1000];
    const { current, accessPoints, scannedAt } = await survey(connected().manager, device, () => now);
    booted.push(now - uptime() * 1000);
    expect(current).toEqual({
      ssid: 'Home',
      bssid: '02:00:00:00:00:01',
      signal: 70,
      frequency: 2412,
      security: 'wpa-psk',
      ipAddresses: ['192.0.2.5', '2001:db8::5'],
    });
    expect(accessPoints).toMatchObject([{ ssid: 'Home', inUse: true, saved: true }]);
    expect(scannedAt).toBeLessThanOrEqual(Math.round((booted[0] ?? 0) + 1_000));
    expect(scannedAt).toBeGreaterThanOrEqual(Math.floor((booted[1] ?? 0) + 1_000));
  });

  it('are listed without a connection and before the first scan', async () => {
    const { manager } = connected({
      '/wifi0 Device': { State: STATE.disconnected },
      '/wifi0 Wireless': { LastScan: -1n },
    });
    expect(await survey(manager, device, Date.now)).toMatchObject({
      current: null,
      accessPoints: [{ ssid: 'Home', inUse: false }],
      scannedAt: null,
    });
  });

  it('omit access points and profiles that vanish meanwhile', async () => {
    const gone = () => {
      throw new BusError('org.freedesktop.DBus.Error.UnknownObject', '', 'GetSettings');
    };
    const answers = { GetAllAccessPoints: () => ['/gone', '/ap'], ListConnections: () => ['/gone'], GetSettings: gone };
    const { accessPoints } = await survey(connected({}, answers).manager, device, Date.now);
    expect(accessPoints).toMatchObject([{ ssid: 'Home', saved: false }]);
  });
});

describe('The current connection', () => {
  const unheard = { ssid: 'Home', bssid: null, signal: null, frequency: null, security: null };

  it.each([
    ['the device names no access point', { '/wifi0 Wireless': { ActiveAccessPoint: '/' } }],
    ['its access point has gone', { '/wifi0 Wireless': { ActiveAccessPoint: '/gone' } }],
    ['the device does not tell', { '/wifi0 Wireless': undefined }],
  ])('is described by its profile when %s', async (_why, objects) => {
    const { manager } = connected(objects as FakeManager['objects']); // as: an absent object is one that does not answer
    expect(await currentConnection(manager, '/wifi0')).toEqual({
      ...unheard,
      ipAddresses: ['192.0.2.5', '2001:db8::5'],
    });
  });

  it.each([
    ['no profile is in use', { ...CONNECTED, ActiveConnection: '/' }],
    ['there is no such profile', { ...CONNECTED, ActiveConnection: '/other' }],
  ])('is null when neither is known because %s', async (_why, properties) => {
    const { manager } = connected({
      '/wifi0 Device': properties,
      '/wifi0 Wireless': { ActiveAccessPoint: '/' },
      '/other Active': { Connection: '/deleted' },
    });
    expect(await currentConnection(manager, '/wifi0')).toBeNull();
  });

  it('has no addresses without an IP configuration', async () => {
    const { manager } = connected({ '/wifi0 Device': { ...CONNECTED, Ip4Config: '/', Ip6Config: '/' } });
    expect(await currentConnection(manager, '/wifi0')).toMatchObject({ ssid: 'Home', ipAddresses: [] });
  });
});

describe('A NetworkManager with missing properties', () => {
  it('is used as far as it reports', async () => {
    const { manager } = connected({
      '/wifi0 Wireless': {},
      '/wifi0 Device': { ...CONNECTED, ActiveConnection: undefined },
      '/ip4 IP4Config': {},
      '/ap AccessPoint': { ...WPA, HwAddress: '02:00:00:00:00:01', Strength: 70, Frequency: 2412 },
    });
    expect(await survey(manager, device, Date.now)).toMatchObject({
      current: null,
      accessPoints: [{ ssid: '', inUse: false, saved: false }],
      scannedAt: null,
    });
  });

  it('keeps the device of each profile and skips its own hotspot', async () => {
    const settings: Record<string, object> = {
      '/any': profile('Any'),
      '/bound': { ...profile('Bound'), connection: { uuid: 'Bound', 'interface-name': 'wlan0' } },
      '/hotspot': { connection: { uuid: 'x' }, '802-11-wireless': { ssid: Buffer.from('Mine'), mode: 'ap' } },
      '/wired': { connection: { uuid: 'y' } },
    };
    const answers = Object.fromEntries(
      Object.entries(settings).map(([path, each]) => [`${path} GetSettings`, () => each]),
    );
    const { manager } = connected({}, { ...answers, ListConnections: () => Object.keys(settings) });
    expect(await wifiProfiles(manager)).toMatchObject([
      { uuid: 'Any', interfaceName: null },
      { uuid: 'Bound', interfaceName: 'wlan0' },
    ]);
  });
});

describe('A scan', () => {
  it('has ended when the time of the last scan advances', async () => {
    const fake = connected({ '/wifi0 Wireless': { LastScan: 1n } }, { RequestScan: () => undefined });
    let looks = 0;
    Object.defineProperty(fake.objects['/wifi0 Wireless'], 'LastScan', { get: () => (++looks > 3 ? 2n : 1n) });
    await scan(fake.manager, device);
    expect(looks).toBe(4);
  });

  it('is an error when refused before the first one', async () => {
    const refuse = () => {
      throw new BusError(`${NM}.Device.NotAllowed`, '', 'RequestScan');
    };
    const { manager } = connected({ '/wifi0 Wireless': {} }, { RequestScan: refuse });
    await expect(scan(manager, device)).rejects.toThrow('NotAllowed');
  });
});
