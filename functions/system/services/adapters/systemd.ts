import { ServiceError, unavailable } from '../../../shared/errors.ts';
import { collect } from '../../../shared/kit/child-process/run.ts';
import type { ServiceManager, Unit, UnitState } from '../port.ts';
import { explain } from './explain.ts';
import { JournalReader } from './journal.ts';
import type { Command, Machine } from './machine.ts';
import { joinUnits } from './units.ts';

const SYSTEMCTL_TIMEOUT_MS = 10_000;
const LIST_OPTIONS = ['--type=service', '--output=json', '--no-legend', '--plain', '--full', '--no-pager'] as const;

/** How a unit of the computer is restarted. */
type Restart = (unit: string, signal: AbortSignal) => Promise<UnitState>;

/** The services of one computer, from its systemd and journal. */
export function systemdManager(machine: Machine, restart: Restart): ServiceManager {
  const journal = new JournalReader(machine);
  return {
    units: (patterns, signal) => withExplanation(machine, () => units(machine, patterns, signal)),
    logs: (unit, selection, signal) => withExplanation(machine, () => journal.page(unit, selection, signal)),
    exists: (unit, signal) => withExplanation(machine, () => exists(machine, journal, unit, signal)),
    restart: (unit, signal) => withExplanation(machine, () => restart(unit, signal)),
    now: (signal) => withExplanation(machine, () => now(machine, signal)),
    follow: (unit, filter, signal) => withExplanation(machine, () => journal.follow(unit, filter, signal)),
  };
}

async function units(machine: Machine, patterns: readonly string[], signal: AbortSignal): Promise<Unit[]> {
  // Reading all unit files takes a small computer seconds. `\` is an escape character in systemd's patterns.
  const wanted = ['--', ...patterns.map((pattern) => pattern.replaceAll('\\', '\\\\'))];
  const [unitFiles, loaded] = await Promise.all([
    systemctl(machine, ['systemctl', 'list-unit-files', ...LIST_OPTIONS, ...wanted], signal),
    systemctl(machine, ['systemctl', 'list-units', '--all', ...LIST_OPTIONS, ...wanted], signal),
  ]);
  return joinUnits(unitFiles, loaded);
}

/** As `date` of the computer tells it. */
async function now(machine: Machine, signal: AbortSignal): Promise<number> {
  const running = await machine.start(['date', '+%s%3N'], { signal, timeLimit: SYSTEMCTL_TIMEOUT_MS });
  const { stdout } = await collect(running, 'date');
  if (/^\d{10,15}\n$/.test(stdout)) return Number(stdout);
  throw unavailable(`clock of ${machine.system}`, 'Its program `date` does not tell the time.');
}

async function exists(machine: Machine, journal: JournalReader, unit: string, signal: AbortSignal): Promise<boolean> {
  if (await journal.hasEntries(unit, signal)) return true;
  const template = unit.replace(/@[^@]*\.service$/, '@.service');
  try {
    const found = await units(machine, [...new Set([unit, template])], signal);
    // A unit that others refer to is loaded even if there is no such unit.
    return found.some(({ load_state }) => load_state !== 'not-found');
  } catch (error) {
    signal.throwIfAborted();
    const unknown = explain(machine.system, error);
    if (unknown instanceof ServiceError && unknown.code === 'component_unavailable') return true;
    throw error;
  }
}

async function systemctl(machine: Machine, command: Command, signal: AbortSignal): Promise<string> {
  const running = await machine.start(command, { signal, timeLimit: SYSTEMCTL_TIMEOUT_MS });
  const { code, stdout, stderr } = await collect(running, command[0]);
  // systemctl exits with 1 and prints nothing if no unit file matches.
  if (code === 0 || (code === 1 && stderr === '')) return stdout;
  const message = stderr.split('\n')[0] || `exit code ${code}`;
  throw unavailable(`systemd of ${machine.system}`, `Mend what keeps it from answering. systemctl: ${message}`);
}

async function withExplanation<T>({ system }: Machine, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explain(system, error);
  }
}
