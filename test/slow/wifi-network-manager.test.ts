import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { BusError } from '../../functions/shared/kit/system-bus.ts';
import { DeviceAttempt } from '../../functions/system/network/adapters/network-manager/attempt.ts';
import type { Device } from '../../functions/system/network/adapters/network-manager/device.ts';
import { Manager } from '../../functions/system/network/adapters/network-manager/manager.ts';
import {
  DEVICE,
  NM,
  PROFILE,
  PROFILES,
  ROOT,
  SETTINGS,
  STATE,
} from '../../functions/system/network/adapters/network-manager/names.ts';
import {
  type ProfileFrame,
  type Sections,
  wifiSettings,
} from '../../functions/system/network/adapters/network-manager/settings.ts';
import { describeWith } from '../support/components.ts';
import { type RealNetworkManager, startNetworkManager } from '../support/network-manager.ts';
import { until } from '../support/processes.ts';
import { sourcePath, startModule } from '../support/run-source.ts';
import { startTestService } from '../support/service.ts';
import { ACCEPTED_CREDENTIALS } from '../support/wifi-credentials.ts';
import { tried, wired } from '../support/wired-profile.ts';
import { silentLogger, temporaryFolder } from '../support/world.ts';

// There is no Wi-Fi hardware, nor a kernel that could simulate it, on the machines these tests run on. What follows
// proves the profiles (NetworkManager validates and stores Wi-Fi profiles without a device) and, on a wired device and
// through the same code, what protects the link: checkpoint, activation, failure, rollback, the death of this process.
// A network namespace needs root.
const AS_ROOT = process.getuid?.() === 0 ? '/usr/sbin/NetworkManager' : '/usr/sbin/NetworkManager, run as root';

describeWith('NetworkManager', AS_ROOT, 'Wi-Fi through the real NetworkManager', () => {
  let nm: RealNetworkManager;
  let device: Device;

  beforeAll(async () => {
    nm = await startNetworkManager();
    device = { path: nm.device, interfaceName: 'robot0', state: 0 };
    const known = await add(wired('former', '192.0.2.1', { uuid: randomUUID(), autoconnect: true }));
    await nm.manager.call(ROOT, NM, 'ActivateConnection', 'ooo', [known, nm.device, '/']);
    await until('the first connection', async () => (await connectedWith()) === 'former');
  });
  afterAll(() => nm?.stop());

  async function add(settings: Sections, flags = 0x1): Promise<string> {
    const body = [settings, flags, {}];
    const [path] = await nm.manager.call(SETTINGS, PROFILES, 'AddConnection2', 'a{sa{sv}}ua{sv}', body, true);
    return String(path);
  }

  /** The id of the profile the device is connected with. */
  async function connectedWith(): Promise<string | undefined> {
    const { State, ActiveConnection } = await nm.manager.properties(nm.device, DEVICE);
    if (State !== STATE.activated) return undefined;
    const { Id } = await nm.manager.properties(String(ActiveConnection), `${NM}.Connection.Active`);
    return String(Id);
  }

  /** The `connection` sections of all profiles, in memory or on disk. */
  async function known(): Promise<{ id: string; autoconnect?: boolean }[]> {
    const [paths] = await nm.manager.call(SETTINGS, PROFILES, 'ListConnections');
    const all = (paths as string[]).map((path) => nm.manager.call(path, PROFILE, 'GetSettings')); // as: ao
    return (await Promise.all(all)).map(
      ([settings]) => (settings as { connection: { id: string; autoconnect?: boolean } }).connection, // as: a{sa{sv}}
    );
  }

  const stored = async () => (await known()).map(({ id }) => id);
  const autoconnects = async (id: string) => (await known()).find((each) => each.id === id)?.autoconnect ?? true;

  /** What the device runs on. */
  const inUse = async () => (await nm.manager.call(nm.device, DEVICE, 'GetAppliedConnection', 'u', [0]))[0];

  it.each(ACCEPTED_CREDENTIALS)('accepts the settings of %s', async (_what, credentials) => {
    const profile = { ssid: 'Küche', hidden: true, band: 'bg', credentials } as const;
    const path = await add(wifiSettings(profile, tried()), 0x2);
    const [settings] = await nm.manager.call(path, PROFILE, 'GetSettings');
    expect(settings).toMatchObject({ '802-11-wireless': { ssid: Buffer.from('Küche'), hidden: true, band: 'bg' } });
    await nm.manager.call(path, PROFILE, 'Delete');
  });

  it('refuses an invalid password, naming the setting but never its value', async () => {
    const profile = {
      ssid: 'X',
      hidden: false,
      band: null,
      credentials: { kind: 'wpa-psk', password: 'short' },
    } as const;
    const refused = await add(wifiSettings(profile, tried())).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BusError);
    expect(String(refused)).not.toContain('short');
    expect(refused).toMatchObject({
      reason: `${NM}.Settings.Connection.InvalidProperty`,
      text: '802-11-wireless-security.psk',
    });
  });

  it('keeps a trial profile off the disk, and stores a kept one for root only', async () => {
    const profile = {
      ssid: 'Kitchen',
      hidden: false,
      band: null,
      credentials: { kind: 'wpa-psk', password: 'correct horse' },
    } as const;
    const frame = tried();
    const path = await add(wifiSettings(profile, frame), 0x2);
    expect(readdirSync(nm.profiles).filter((name) => name.includes('Kitchen'))).toEqual([]);
    const kept = wifiSettings(profile, { ...frame, autoconnect: true });
    await nm.manager.call(path, PROFILE, 'Update2', 'a{sa{sv}}ua{sv}', [kept, 0x1, {}], true);
    const [file] = readdirSync(nm.profiles).filter((name) => name.includes('Kitchen'));
    const keyfile = join(nm.profiles, String(file));
    expect((statSync(keyfile).mode & 0o777).toString(8)).toBe('600');
    expect(readFileSync(keyfile, 'utf8')).toContain('psk=correct horse');
    expect(readFileSync(keyfile, 'utf8')).not.toContain('autoconnect=false');
    await nm.manager.call(path, PROFILE, 'Delete');
  });

  it('restores the previous connection at once when the new one gets no address', async () => {
    const attempt = await DeviceAttempt.begin(nm.manager, device, 60, silentLogger);
    expect(await checkpoints()).toHaveLength(1);
    const joining = attempt.join((frame) => wired('no-dhcp-here', undefined, frame, 2), 'open', 40);
    await expect(joining).rejects.toMatchObject({ code: 'wifi_no_address' });
    expect(await attempt.undo()).toBe(true);
    expect(await connectedWith()).toBe('former');
    expect(await stored()).not.toContain('no-dhcp-here');
    expect(readdirSync(nm.profiles)).toEqual(['former.nmconnection']);
    expect(await checkpoints()).toEqual([]);
  });

  it('gives up at the limit, naming what the device was waiting for', async () => {
    const attempt = await DeviceAttempt.begin(nm.manager, device, 60, silentLogger);
    const joining = attempt.join((frame) => wired('too-slow', undefined, frame, 30), 'open', 1.5);
    await expect(joining).rejects.toMatchObject({ code: 'wifi_no_address' });
    expect(await attempt.undo()).toBe(true);
    expect(await connectedWith()).toBe('former');
  });

  it('refuses a second attempt during a checkpoint', async () => {
    const attempt = await DeviceAttempt.begin(nm.manager, device, 60, silentLogger);
    const second = DeviceAttempt.begin(nm.manager, device, 60, silentLogger);
    await expect(second).rejects.toMatchObject({ code: 'busy' });
    expect(await attempt.undo()).toBe(true);
  });

  it('is rolled back by NetworkManager when this process is killed midway', async () => {
    const rollbackSeconds = 4;
    const doomed = startModule(
      `
        const { Manager } = await import('${sourcePath('functions/system/network/adapters/network-manager/manager.ts')}');
        const { DeviceAttempt } = await import('${sourcePath('functions/system/network/adapters/network-manager/attempt.ts')}');
        const { typed } = await import('${sourcePath('functions/shared/kit/system-bus.ts')}');
        const manager = await Manager.connect(process.env.BUS);
        const device = { path: process.env.DEVICE, interfaceName: 'robot0', state: 0 };
        const attempt = await DeviceAttempt.begin(manager, device, ${rollbackSeconds}, console);
        const settings = ({ uuid, autoconnect }) => ({
          connection: { id: typed('s', 'doomed'), uuid: typed('s', uuid), type: typed('s', '802-3-ethernet'), autoconnect: typed('b', autoconnect) },
          ipv4: { method: typed('s', 'auto'), 'dhcp-timeout': typed('i', 300), 'may-fail': typed('b', false) },
          ipv6: { method: typed('s', 'disabled') },
        });
        await attempt.join(settings, 'open', 300);
      `,
      { HOME: temporaryFolder(), BUS: nm.address, DEVICE: nm.device },
    );
    await until('the middle of the join', async () => {
      const { State } = await nm.manager.properties(nm.device, DEVICE);
      return State === STATE.ipConfig;
    });
    doomed.child.kill('SIGKILL');
    expect((await doomed.ended).signal).toBe('SIGKILL');
    expect(await stored()).toContain('doomed');
    await until('NetworkManager to restore the connection', async () => (await connectedWith()) === 'former', 20_000);
    expect(await stored()).not.toContain('doomed');
    expect(await checkpoints()).toEqual([]);
  });

  it('keeps a working connection on disk, with autoconnect and without a checkpoint', async () => {
    const attempt = await DeviceAttempt.begin(nm.manager, device, 60, silentLogger);
    const settings = (frame: ProfileFrame) => wired('better', '192.0.2.2', frame);
    await attempt.join(settings, 'open', 40);
    expect(readdirSync(nm.profiles).filter((name) => name.includes('better'))).toEqual([]);
    expect(await autoconnects('better')).toBe(false);
    await attempt.keep(settings, () => false);
    expect(await connectedWith()).toBe('better');
    expect(await checkpoints()).toEqual([]);
    expect(await autoconnects('better')).toBe(true);
    expect(readFileSync(join(nm.profiles, 'better.nmconnection'), 'utf8')).not.toContain('autoconnect=');
    expect(existsSync(join(nm.profiles, 'former.nmconnection'))).toBe(true);
  });

  it('reactivates a newly kept connection before the next change, so that it runs as stored', async () => {
    expect(await inUse()).toHaveProperty('connection.autoconnect', false);
    const attempt = await DeviceAttempt.begin(nm.manager, device, 60, silentLogger);
    expect(await connectedWith()).toBe('better');
    expect(await inUse()).not.toHaveProperty('connection.autoconnect');
    expect(await checkpoints()).toHaveLength(1);
    const joining = attempt.join((frame) => wired('no-dhcp-either', undefined, frame, 2), 'open', 40);
    await expect(joining).rejects.toMatchObject({ code: 'wifi_no_address' });
    expect(await attempt.undo()).toBe(true);
    expect(await connectedWith()).toBe('better');
  });

  it('leaves a connection that runs as stored alone until a change is tried', async () => {
    const { ActiveConnection: before } = await nm.manager.properties(nm.device, DEVICE);
    const attempt = await DeviceAttempt.begin(nm.manager, device, 60, silentLogger);
    expect((await nm.manager.properties(nm.device, DEVICE)).ActiveConnection).toBe(before);
    expect(await attempt.undo()).toBe(true);
  });

  it('answers 503 with advice without a Wi-Fi device', async () => {
    const settings = { SERVICE_MODE: 'robot', SERVICE_HOST: '127.0.0.1', DBUS_SYSTEM_BUS_ADDRESS: nm.address };
    const service = await startTestService({ settings });
    const { status, json } = await service.as('ADMIN', '/api/v2/network/get_wifi_list');
    expect([status, json.code]).toEqual([503, 'component_unavailable']);
    expect(json.detail).toContain('has no Wi-Fi device');
    await service.stop();
  });

  it('answers 503 with advice without a bus', async () => {
    const connecting = Manager.connect('unix:path=/nonexistent/bus');
    await expect(connecting).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringContaining('D-Bus'),
    });
  });

  async function checkpoints(): Promise<unknown> {
    return (await nm.manager.properties(ROOT, NM)).Checkpoints;
  }
});
