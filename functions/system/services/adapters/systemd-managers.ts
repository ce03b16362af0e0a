import type { Config } from '../../../shared/config.ts';
import { Semaphore } from '../../../shared/kit/semaphore.ts';
import type { ServiceManagers } from '../port.ts';
import { localMachine } from './local.ts';
import type { Machine } from './machine.ts';
import { restartBySystemctl, restartOverBus } from './restart.ts';
import { sshMachine } from './ssh.ts';
import { systemdManager } from './systemd.ts';

/** Concurrent commands per computer, not counting followers. sshd allows 10 sessions per connection by default. */
const MAX_COMMANDS = 5;

/** Head is this computer, base is SERVICE_BASE_HOST. */
export function systemdManagers(config: Config): ServiceManagers {
  const machines = { head: localMachine(config), base: sshMachine(config) };
  const base = limited(machines.base);
  const busAddress = config.childEnvironment.DBUS_SYSTEM_BUS_ADDRESS;
  return {
    kind: 'systemd',
    systems: {
      head: systemdManager(limited(machines.head), (unit) => restartOverBus(unit, busAddress)),
      base: systemdManager(base, (unit, signal) => restartBySystemctl(base, unit, signal)),
    },
    close() {
      machines.head.close();
      machines.base.close();
    },
  };
}

function limited(machine: Machine): Machine {
  const semaphore = new Semaphore(MAX_COMMANDS);
  return {
    ...machine,
    async start(command, limits) {
      if (command.includes('--follow')) return machine.start(command, limits);
      const release = await semaphore.acquire({ signal: limits.signal });
      try {
        const running = await machine.start(command, limits);
        running.exit.then(release, release);
        return running;
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
