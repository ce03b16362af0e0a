import type { System } from '../../../shared/allowed-units.ts';
import { ServiceError, unavailable } from '../../../shared/errors.ts';
import { collect } from '../../../shared/kit/child-process/run.ts';
import { BusError } from '../../../shared/kit/system-bus.ts';
import { isDenied, isUnknownUnit, SystemdBus, saidBy } from '../../../shared/kit/systemd-bus.ts';
import type { UnitState } from '../port.ts';
import type { Command, Machine } from './machine.ts';

const TIME_LIMIT_MS = 10_000;

/**
 * Restarts a unit of this computer over D-Bus (org.freedesktop.systemd1(5)): systemd asks polkit, with the unit and the
 * verb, whether the user of this process may.
 * @param address of the bus; without one the standard system bus.
 * @throws ServiceError `not_found`, `component_unavailable`.
 */
export async function restartOverBus(unit: string, address: string | undefined): Promise<UnitState> {
  let bus: SystemdBus | undefined;
  try {
    bus = await SystemdBus.connect(address);
    await bus.manager('RestartUnit', 'ss', [unit, 'replace']);
    const [path] = await bus.manager('GetUnit', 's', [unit]);
    const active = await bus.property(String(path), 'Unit', 'ActiveState');
    const sub = await bus.property(String(path), 'Unit', 'SubState');
    return { active_state: String(active), sub_state: String(sub) };
  } catch (error) {
    throw error instanceof BusError ? refusal('head', unit, saidBy(error), error) : error;
  } finally {
    bus?.close();
  }
}

/** The same with systemctl, on a computer that is reached over SSH. */
export async function restartBySystemctl(machine: Machine, unit: string, signal: AbortSignal): Promise<UnitState> {
  await systemctl(machine, unit, signal, ['restart', '--no-block', '--no-ask-password']);
  const text = await systemctl(machine, unit, signal, ['show', '--property=ActiveState', '--property=SubState']);
  const propertyOf = (name: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}=`))
      ?.slice(name.length + 1);
  return { active_state: propertyOf('ActiveState') ?? '', sub_state: propertyOf('SubState') ?? '' };
}

async function systemctl(
  machine: Machine,
  unit: string,
  signal: AbortSignal,
  words: readonly string[],
): Promise<string> {
  const command: Command = ['systemctl', ...words, '--', unit];
  const { code, stdout, stderr } = await collect(
    await machine.start(command, { signal, timeLimit: TIME_LIMIT_MS }),
    'systemctl',
  );
  if (code === 0) return stdout;
  throw refusal(machine.system, unit, stderr.split('\n')[0] ?? `exit code ${code}`);
}

function refusal(system: System, unit: string, said: string, cause?: unknown): ServiceError {
  if (isUnknownUnit(said)) {
    return new ServiceError('not_found', { detail: `systemd of ${system} has no unit "${unit}" to restart.`, cause });
  }
  const remedy = isDenied(said)
    ? `polkit does not let this user restart ${unit}: allow it org.freedesktop.systemd1.manage-units with that unit and the verb restart, as install.sh does on head.`
    : `It did not restart ${unit}: ${said}.`;
  return unavailable(`systemd of ${system}`, remedy, cause);
}
