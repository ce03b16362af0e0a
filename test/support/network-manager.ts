import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Manager } from '../../functions/system/network/adapters/network-manager/manager.ts';
import { NM, ROOT as ROOT_PATH } from '../../functions/system/network/adapters/network-manager/names.ts';
import { until } from './processes.ts';
import { privateBusFiles, startSystemProgram } from './system-programs.ts';

/**
 * The real NetworkManager daemon in network and mount namespaces of its own, with its own bus and folders and one wired
 * device, `robot0`. It needs root. /sys has to be read-only there: without udev every device stays unmanaged otherwise.
 */
export async function startNetworkManager() {
  const { folder, socketPath, configPath, address } = privateBusFiles();
  const profiles = join(folder, 'system-connections');
  for (const name of ['run', 'var', 'etc', 'conf.d', 'system-connections']) {
    mkdirSync(join(folder, name), { mode: 0o700 });
  }
  writeFileSync(
    join(folder, 'NetworkManager.conf'),
    `[main]
plugins=keyfile
auth-polkit=false
dhcp=internal
dns=none
rc-manager=unmanaged
no-auto-default=*
[keyfile]
path=${profiles}
`,
  );
  const script = join(folder, 'start.sh');
  writeFileSync(
    script,
    `set -eu
mount --make-rprivate /
mount -t sysfs -o ro sysfs /sys
mkdir -p /run/NetworkManager /var/lib/NetworkManager /etc/NetworkManager
mount --bind "$1/run" /run/NetworkManager
mount --bind "$1/var" /var/lib/NetworkManager
mount --bind "$1/etc" /etc/NetworkManager
ip link set lo up
ip link add robot0 type veth peer name peer0
ip link set peer0 up
dbus-daemon --config-file="$2" --nofork --nopidfile &
echo $! > "$1/bus.pid"
for _ in $(seq 100); do [ -S "$3" ] && break; sleep 0.02; done
export DBUS_SYSTEM_BUS_ADDRESS="unix:path=$3"
exec NetworkManager --no-daemon --log-level=DEBUG --config="$1/NetworkManager.conf" --config-dir="$1/conf.d" \\
  --pid-file="$1/nm.pid" --state-file="$1/nm.state" --intern-config="$1/intern.conf"
`,
  );
  const args = ['--net', '--mount', '/bin/bash', script, folder, configPath, socketPath];
  const daemon = startSystemProgram('/usr/bin/unshare', args, { folder });
  // The socket lies there a moment before the bus listens on it.
  const manager = await until('the bus of NetworkManager', () => Manager.connect(address).catch(() => undefined));
  const device = await until('the device of NetworkManager', () =>
    manager.call(ROOT_PATH, NM, 'GetDeviceByIpIface', 's', ['robot0']).then(
      ([path]) => String(path),
      () => undefined,
    ),
  );

  return {
    address,
    profiles,
    manager,
    /** Path of the wired device. */
    device,
    log: () => readFileSync(daemon.logPath, 'utf8'),
    async stop() {
      manager.close();
      const bus = Number(readFileSync(join(folder, 'bus.pid'), 'utf8'));
      await daemon.stop();
      try {
        process.kill(bus);
      } catch {
        // it ended with NetworkManager
      }
    },
  };
}

export type RealNetworkManager = Awaited<ReturnType<typeof startNetworkManager>>;
