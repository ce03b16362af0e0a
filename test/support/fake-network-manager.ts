import { BusError } from '../../functions/shared/kit/system-bus.ts';
import type { Device } from '../../functions/system/network/adapters/network-manager/device.ts';
import type { Manager } from '../../functions/system/network/adapters/network-manager/manager.ts';
import { STATE } from '../../functions/system/network/adapters/network-manager/names.ts';

export const device: Device = { path: '/wifi0', interfaceName: 'wlan0', state: STATE.activated };

export const HOME = { Ssid: Buffer.from('Home'), HwAddress: '02:00:00:00:00:01', Strength: 70, Frequency: 2412 };

export const WPA = { Flags: 1, WpaFlags: 0, RsnFlags: 0x188 };

export const CONNECTED = { State: STATE.activated, ActiveConnection: '/active', Ip4Config: '/ip4', Ip6Config: '/ip6' };

export const profile = (ssid: string, uuid = ssid) => ({
  connection: { uuid },
  '802-11-wireless': { ssid: Buffer.from(ssid) },
});

export type Answer = (...args: unknown[]) => unknown;

/** What NetworkManager tells: the properties of objects, and how it answers calls, by `path member` or by member. */
export class FakeManager {
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

export const connected = (more: FakeManager['objects'] = {}, answers: FakeManager['answers'] = {}) =>
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
