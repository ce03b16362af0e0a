import { unavailable } from '../../errors.ts';
import { collect } from '../child-process/run.ts';
import { explain } from './explain.ts';
import { JournalReader } from './journal.ts';
import type { Machine, Words } from './machine.ts';
import type { ServiceManager, Unit } from './port.ts';
import { joinUnits } from './units.ts';

/** Longest time that systemctl may take, in ms. */
const TIME_LIMIT = 10_000;
const LISTING = ['--type=service', '--output=json', '--no-legend', '--plain', '--full', '--no-pager'] as const;

/** The services of one computer, asked of its systemd and its journal. */
export function systemdManager(machine: Machine): ServiceManager {
  const journal = new JournalReader(machine);
  return {
    units: (signal) => explained(machine, () => units(machine, signal)),
    logs: (unit, lines, signal) => explained(machine, () => journal.page(unit, lines, signal)),
    follow: (unit, signal) => explained(machine, () => journal.follow(unit, signal)),
  };
}

async function units(machine: Machine, signal: AbortSignal): Promise<Unit[]> {
  const [unitFiles, loaded] = await Promise.all([
    systemctl(machine, ['systemctl', 'list-unit-files', ...LISTING], signal),
    systemctl(machine, ['systemctl', 'list-units', '--all', ...LISTING], signal),
  ]);
  return joinUnits(unitFiles, loaded);
}

async function systemctl(machine: Machine, words: Words, signal: AbortSignal): Promise<string> {
  const running = await machine.start(words, { signal, timeLimit: TIME_LIMIT });
  const { code, stdout, stderr } = await collect(running, words[0]);
  if (code === 0) return stdout;
  const said = stderr.split('\n')[0] || `exit code ${code}`;
  throw unavailable(`systemd of ${machine.system}`, `It is needed to list services. systemctl: ${said}`);
}

async function explained<T>({ system }: Machine, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explain(system, error);
  }
}
