import { uptime } from 'node:os';
import { Writable } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import { DeviceAttempt } from '../../../../functions/shared/adapters/wifi/network-manager/attempt.ts';
import { type Device, wifiDevice } from '../../../../functions/shared/adapters/wifi/network-manager/device.ts';
import type { Manager } from '../../../../functions/shared/adapters/wifi/network-manager/manager.ts';
import { NM, ROOT, STATE } from '../../../../functions/shared/adapters/wifi/network-manager/names.ts';
import { wifiProfiles } from '../../../../functions/shared/adapters/wifi/network-manager/profiles.ts';
import { scan } from '../../../../functions/shared/adapters/wifi/network-manager/scan.ts';
import { currentConnection, survey } from '../../../../functions/shared/adapters/wifi/network-manager/survey.ts';
import { BusError } from '../../../../functions/shared/adapters/wifi/network-manager/system-bus.ts';
import { createLogger } from '../../../../functions/shared/logger.ts';
import { silentLogger } from '../../../support/world.ts';

const device: Device = { path: '/wifi0', interfaceName: 'wlan0', state: STATE.activated };
const HOME = { Ssid: Buffer.from('Home'), HwAddress: '02:00:00:00:00:01', Strength: 70, Frequency: 2412 };
const WPA = { Flags: 1, WpaFlags: 0, RsnFlags: 0x188 };
const CONNECTED = { State: STATE.activated, ActiveConnection: '/active', Ip4Config: '/ip4', Ip6Config: '/ip6' };
const profile = (ssid: string, uuid = ssid) => ({
  connection: { uuid },
  '802-11-wireless': { ssid: Buffer.from(ssid) },
});

type Answer = (...args: unknown[]) => unknown;

/** What NetworkManager tells: the properties of objects, and how it answers calls, by `path member` or by member. */
class FakeManager {
  readonly called: string[] = [];
  readonly objects: Record<string, Record<string, unknown>>;
  readonly answers: Record<string, Answer>;

  constructor(objects: FakeManager['objects'], answers: FakeManager['answers'] = {}) {
    this.objects = objects;
    this.answers = {
      ListConnections: () => ['/profile'],
      GetSettings: () => profile('Home'),
      GetAllAccessPoints: () => ['/ap'],
      CheckpointCreate: () => '/checkpoint',
      CheckpointRollback: () => ({}),
      CheckpointDestroy: () => undefined,
      ...answers,
    };
  }

  /** As the adapter takes it. */
  get manager(): Manager {
    return this as unknown as Manager; // as: only its calls and properties are used here, not its bus
  }

  async call(path: string, _from: string, member: string, _signature = '', body: readonly unknown[] = []) {
    this.called.push(`${path} ${member}`);
    const answer = this.answers[`${path} ${member}`] ?? this.answers[member];
    if (!answer) throw new BusError('org.freedesktop.DBus.Error.UnknownMethod', '', member);
    return [answer(...body)];
  }

  async properties(path: string, of: string) {
    const found = this.objects[`${path} ${of.split('.').at(-1)}`];
    if (!found) throw new BusError('org.freedesktop.DBus.Error.UnknownObject', path, 'GetAll');
    return found;
  }
}

const connected = (more: FakeManager['objects'] = {}, answers: FakeManager['answers'] = {}) =>
  new FakeManager(
    {
      '/wifi0 Device': CONNECTED,
      '/wifi0 Wireless': { ActiveAccessPoint: '/ap', LastScan: 1_000n },
      '/ap AccessPoint': { ...HOME, ...WPA },
      '/ip4 IP4Config': { AddressData: [{ address: '192.0.2.5', prefix: 24 }] },
      '/ip6 IP6Config': { AddressData: [{ address: '2001:db8::5' }, { address: 'fe80::1' }] },
      '/active Active': { Connection: '/profile' },
      ...more,
    },
    answers,
  );

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

  it('is the connected one of several', async () => {
    expect(await wifiDevice(devices(STATE.disconnected, STATE.activated))).toMatchObject({ interfaceName: 'wlan1' });
  });

  it.each([
    ['there is none', [], 'Plug one in'],
    ['it is not managed', [STATE.unmanaged], 'nmcli device set wlan0 managed yes'],
    ['its radio is off', [STATE.unavailable], 'nmcli radio wifi on'],
  ])('is 503 when %s, with what to do', async (_why, states, remedy) => {
    await expect(wifiDevice(devices(...states))).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringContaining(remedy),
    });
  });
});

describe('The networks around', () => {
  it('come with the connection, its addresses that others can reach, and the time of the last scan', async () => {
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

  it('are told without a connection and before the first scan', async () => {
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

  it('leave out an access point that went out of reach, and a profile that was deleted, while they are told', async () => {
    const gone = () => {
      throw new BusError('org.freedesktop.DBus.Error.UnknownObject', '', 'GetSettings');
    };
    const answers = { GetAllAccessPoints: () => ['/gone', '/ap'], ListConnections: () => ['/gone'], GetSettings: gone };
    const { accessPoints } = await survey(connected({}, answers).manager, device, Date.now);
    expect(accessPoints).toMatchObject([{ ssid: 'Home', saved: false }]);
  });
});

describe('The present connection', () => {
  const unheard = { ssid: 'Home', bssid: null, signal: null, frequency: null, security: null };

  it.each([
    ['the device names no access point', { '/wifi0 Wireless': { ActiveAccessPoint: '/' } }],
    ['its access point has gone', { '/wifi0 Wireless': { ActiveAccessPoint: '/gone' } }],
    ['the device does not tell', { '/wifi0 Wireless': undefined }],
  ])('is told by its profile when %s', async (_why, objects) => {
    const { manager } = connected(objects as FakeManager['objects']); // as: an absent object is one that does not answer
    expect(await currentConnection(manager, '/wifi0')).toEqual({
      ...unheard,
      ipAddresses: ['192.0.2.5', '2001:db8::5'],
    });
  });

  it.each([
    ['no profile is in use', { ...CONNECTED, ActiveConnection: '/' }],
    ['there is no such profile', { ...CONNECTED, ActiveConnection: '/other' }],
  ])('is none when neither is known, because %s', async (_why, properties) => {
    const { manager } = connected({
      '/wifi0 Device': properties,
      '/wifi0 Wireless': { ActiveAccessPoint: '/' },
      '/other Active': { Connection: '/deleted' },
    });
    expect(await currentConnection(manager, '/wifi0')).toBeNull();
  });

  it('has no addresses as long as there is no configuration of them', async () => {
    const { manager } = connected({ '/wifi0 Device': { ...CONNECTED, Ip4Config: '/', Ip6Config: '/' } });
    expect(await currentConnection(manager, '/wifi0')).toMatchObject({ ssid: 'Home', ipAddresses: [] });
  });
});

describe('A NetworkManager that tells less', () => {
  it('is believed what it tells', async () => {
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

  it('is believed which device a profile is for; a hotspot of its own is no profile', async () => {
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
  it('has ended when the time of the last one moves on', async () => {
    const fake = connected({ '/wifi0 Wireless': { LastScan: 1n } }, { RequestScan: () => undefined });
    let looks = 0;
    Object.defineProperty(fake.objects['/wifi0 Wireless'], 'LastScan', { get: () => (++looks > 3 ? 2n : 1n) });
    await scan(fake.manager, device);
    expect(looks).toBe(4);
  });

  it('that is refused before there ever was one is an error', async () => {
    const refuse = () => {
      throw new BusError(`${NM}.Device.NotAllowed`, '', 'RequestScan');
    };
    const { manager } = connected({ '/wifi0 Wireless': {} }, { RequestScan: refuse });
    await expect(scan(manager, device)).rejects.toThrow('NotAllowed');
  });
});

describe('A change of the connection', () => {
  const failing =
    (reason: string, text = '') =>
    () => {
      throw new BusError(reason, text, 'Member');
    };
  const begin = (fake: FakeManager, logger = silentLogger) => DeviceAttempt.begin(fake.manager, device, 60, logger);

  it('is busy while the checkpoint of an earlier one stands, and says when to come again', async () => {
    const fake = connected({}, { CheckpointCreate: failing(`${NM}.InvalidArguments`) });
    await expect(begin(fake)).rejects.toMatchObject({ code: 'busy', headers: { 'retry-after': '60' } });
  });

  it('does not begin when its checkpoint is refused', async () => {
    const fake = connected({}, { CheckpointCreate: failing(`${NM}.PermissionDenied`) });
    await expect(begin(fake)).rejects.toThrow('PermissionDenied');
    const odd = connected({}, { CheckpointCreate: () => Promise.reject(new Error('not of the bus')) });
    odd.call = async (_path, _from, member) => Promise.reject(new Error(`${member}: not of the bus`));
    await expect(begin(odd)).rejects.toThrow('not of the bus');
  });

  it.each([
    ['ipv4.method', 'the setting ipv4.method'],
    ['', 'these settings'],
  ])('with settings that NetworkManager refuses names %j and nothing else', async (text, named) => {
    const fake = connected({}, { AddConnection2: failing(`${NM}.Settings.Connection.InvalidProperty`, text) });
    const joining = (await begin(fake)).join(() => ({}), 'wpa-psk', 1);
    await expect(joining).rejects.toMatchObject({
      code: 'validation_failed',
      message: `NetworkManager refused ${named}.`,
    });
  });

  it('that is not allowed says so', async () => {
    const fake = connected({}, { AddConnection2: failing(`${NM}.Settings.PermissionDenied`) });
    const joining = (await begin(fake)).join(() => ({}), 'wpa-psk', 1);
    await expect(joining).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringContaining('polkit'),
    });
  });

  it('is kept even when the profile it replaces cannot be removed, which the log tells', async () => {
    let log = '';
    const sink = new Writable({
      write(chunk, _encoding, done) {
        log += chunk;
        done();
      },
    });
    const fake = connected({}, { Update2: () => ({}), Delete: failing(`${NM}.Failed`) });
    await (await begin(fake, createLogger('warn', sink))).keep(
      () => ({}),
      () => true,
    );
    expect(fake.called).toContain(`${ROOT} CheckpointDestroy`);
    expect(log).toContain('could not be removed');
  });

  it('is undone: the former profile is activated when the rollback leaves the device without any', async () => {
    const fake = connected({}, { ActivateConnection: (...body) => activated(body) });
    const attempt = await begin(fake);
    let asked: unknown[] = [];
    function activated(body: unknown[]) {
      asked = body;
      fake.objects['/wifi0 Device'] = CONNECTED;
      return '/active';
    }
    fake.answers.CheckpointRollback = () => {
      fake.objects['/wifi0 Device'] = { State: STATE.disconnected };
      return {};
    };
    expect(await attempt.undo()).toBe(true);
    expect(asked).toEqual(['/profile', '/wifi0', '/']);
  });

  it('is undone: a former profile that comes back by itself is waited for, not activated', async () => {
    const fake = connected();
    const attempt = await begin(fake);
    fake.answers.CheckpointRollback = () => {
      fake.objects['/wifi0 Device'] = { State: 50 };
      setTimeout(() => {
        fake.objects['/wifi0 Device'] = CONNECTED;
      }, 300);
      return {};
    };
    expect(await attempt.undo()).toBe(true);
    expect(fake.called.filter((call) => call.endsWith('ActivateConnection'))).toEqual([]);
  });

  it('is undone at once where nothing was connected before', async () => {
    const fake = connected({ '/active Active': undefined as never }); // as: the connection has just gone
    expect(await (await begin(fake)).undo()).toBe(true);
  });

  it('that leaves another connection than the former one when its time is over says so', async () => {
    const fake = connected();
    const attempt = await begin(fake);
    fake.answers.CheckpointRollback = () => {
      fake.objects['/active Active'] = { Connection: '/another' };
      return {};
    };
    let now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => {
      now += 20_000;
      return now;
    });
    try {
      expect(await attempt.undo()).toBe(false);
    } finally {
      clock.mockRestore();
    }
  });

  it('that cannot be undone says so', async () => {
    const fake = connected({}, { CheckpointRollback: failing(`${NM}.Failed`, 'no such checkpoint') });
    expect(await (await begin(fake)).undo()).toBe(false);
  });
});
