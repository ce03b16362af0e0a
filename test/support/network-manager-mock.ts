import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SystemBus, typed } from '../../functions/shared/kit/system-bus.ts';
import { until } from './processes.ts';
import { ROOT } from './sources.ts';
import { startPrivateBus, startSystemProgram } from './system-programs.ts';

const NM = 'org.freedesktop.NetworkManager';
const ROOT_PATH = '/org/freedesktop/NetworkManager';
export const WIFI0 = `${ROOT_PATH}/Devices/wifi0`;

/** A recorded call: its member and its arguments, values beside their D-Bus types. */
export type RecordedCall = readonly [member: string, ...args: unknown[]];

/** python-dbusmock's NetworkManager with one Wi-Fi device, on a bus of its own. */
export async function startNetworkManagerMock() {
  const bus = await startPrivateBus();
  const log = join(bus.folder, 'calls.jsonl');
  const template = join(ROOT, 'test/support/network-manager-mock.py');
  const mock = startSystemProgram(
    '/usr/bin/python3',
    ['-m', 'dbusmock', '--system', '--template', template, '--parameters', JSON.stringify({ log })],
    { folder: bus.folder, environment: { DBUS_SYSTEM_BUS_ADDRESS: bus.address } },
  );
  const control = await SystemBus.connect(bus.address);
  const call = (path: string, from: string, member: string, signature = '', body: readonly unknown[] = []) =>
    control.call({ destination: NM, path, interface: from, member, signature, body });
  await until('the mock', () =>
    call(ROOT_PATH, NM, 'GetDevices').then(
      ([devices]) => String(devices) === WIFI0,
      () => false,
    ),
  );
  const mocked = 'org.freedesktop.DBus.Mock';

  return {
    address: bus.address,
    /** Process ids of the mock and its bus. */
    pids: [mock.child.pid],
    call,
    /**
     * How the next calls go: `outcome` (0 works, 1000 never ends, else a state reason), `scan`, `checkpoints`. The password
     * `wrong password` is refused in any case.
     */
    behave: (name: 'outcome' | 'scan' | 'checkpoints' | 'rollback' | 'delay_ms', value: string | number | boolean) => {
      const signature = { string: 's', number: 'i', boolean: 'b' }[typeof value as 'string' | 'number' | 'boolean']; // as: of this type
      return call(ROOT_PATH, NM, 'Behave', 'sv', [name, typed(signature, value)]);
    },
    /** The device has lost its connection and has been connected again by itself. */
    reconnect: () => call(ROOT_PATH, NM, 'Reconnect'),
    /** An access point in range; `security` as NM80211ApSecurityFlags. */
    hear: (name: string, ssid: string, bssid: string, frequency: number, strength: number, security: number) =>
      call(ROOT_PATH, mocked, 'AddAccessPoint', 'ssssuuuyu', [
        WIFI0,
        name,
        ssid,
        bssid,
        2,
        frequency,
        54_000,
        strength,
        security,
      ]).then(([path]) => String(path)),
    /** Connects the device with a stored profile for an access point that is heard. */
    async connect(name: string, ssid: string, accessPoint: string): Promise<string> {
      const [profile] = await call(ROOT_PATH, mocked, 'AddWiFiConnection', 'ssss', [WIFI0, name, ssid, 'wpa-psk']);
      await call(ROOT_PATH, mocked, 'AddActiveConnection', 'assssu', [
        [WIFI0],
        profile,
        accessPoint,
        `former_${name}`,
        2,
      ]);
      await call(WIFI0, mocked, 'UpdateProperties', 'sa{sv}', [`${NM}.Device`, { State: typed('u', 100) }]);
      await call(WIFI0, mocked, 'AddProperty', 'ssv', [
        `${NM}.Device.Wireless`,
        'ActiveAccessPoint',
        typed('o', accessPoint),
      ]);
      return String(profile);
    },
    profiles: async (): Promise<string[]> => {
      const [paths] = await call(`${ROOT_PATH}/Settings`, `${NM}.Settings`, 'ListConnections');
      return paths as string[]; // as: ao
    },
    /** The calls that changed something since the last {@link forget}. */
    calls: (): RecordedCall[] =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line))
        : [],
    forget: () => rmSync(log, { force: true }),
    stopDaemon: () => mock.stop('SIGKILL'),
    async stop() {
      control.close();
      await mock.stop();
      await bus.stop();
    },
  };
}

export type NetworkManagerMock = Awaited<ReturnType<typeof startNetworkManagerMock>>;
