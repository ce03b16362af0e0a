import type { Config } from '../../config.ts';
import { localMachine } from './local.ts';
import type { Machine } from './machine.ts';
import type { ServiceManagers } from './port.ts';
import { Slots } from './slots.ts';
import { sshMachine } from './ssh.ts';
import { systemdManager } from './systemd.ts';

/** Most commands that run on one computer at a time, those that follow not counted: sshd allows 10 in all by default. */
const MAX_COMMANDS = 5;

/** Head is this computer, base the one that SERVICE_BASE_HOST names. */
export function systemdManagers(config: Config): ServiceManagers {
  const machines = { head: localMachine(config), base: sshMachine(config) };
  return {
    kind: 'systemd',
    systems: { head: systemdManager(inLine(machines.head)), base: systemdManager(inLine(machines.base)) },
    close() {
      machines.head.close();
      machines.base.close();
    },
  };
}

function inLine(machine: Machine): Machine {
  const slots = new Slots(MAX_COMMANDS);
  return {
    ...machine,
    async start(words, limits) {
      if (words.includes('--follow')) return machine.start(words, limits);
      const leave = await slots.wait(limits.signal);
      try {
        const running = await machine.start(words, limits);
        running.exit.then(leave, leave);
        return running;
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
