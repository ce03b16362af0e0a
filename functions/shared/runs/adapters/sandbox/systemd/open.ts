import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Config } from '../../../../config.ts';
import { BusError } from '../../../../kit/system-bus.ts';
import { isDenied, isUnknownUnit, SystemdBus, saidBy } from '../../../../kit/systemd-bus.ts';
import { within } from '../../../../kit/within.ts';
import type { SandboxProbe } from '../../../sandbox.port.ts';
import { ask } from '../interpreter.ts';
import { ATTACH, Attachment } from './attachment.ts';
import { killUnit, SkillUnit, type UnitEnd, unitOf } from './skill-unit.ts';
import { SystemdSandbox } from './systemd.ts';
import { type UnitPaths, UnitPlaces } from './unit-places.ts';
import { WALLS_CHECK, WallsReport, WHICH_PYTHON } from './walls-check.ts';

const MIB = 1024 * 1024;
/** A computer that is just booting may take long. */
const TIME_LIMIT_MS = 120_000;
const INSTALL = 'Run /opt/robot-rest/current/deploy/install.sh';

/** Whether this process is the installed service, to whose unit those of the runs are tied. */
export function isInstalledService(): boolean {
  try {
    return /\/robot-rest\.service$/m.test(readFileSync('/proc/self/cgroup', 'utf8'));
  } catch {
    return false;
  }
}

/** Finds out whether skills can run in units of systemd: one is started that looks at its own walls. */
export async function openSystemd(config: Config, paths?: UnitPaths): Promise<SandboxProbe> {
  const address = config.childEnvironment.DBUS_SYSTEM_BUS_ADDRESS;
  try {
    const places = await UnitPlaces.open(paths);
    await endLeftovers(address);
    const problem = await problemOf(config, places, address);
    return problem === undefined ? { sandbox: new SystemdSandbox(places, address) } : { problem };
  } catch (error) {
    return { problem: explain(error) };
  }
}

/** Units of a service that was killed end by themselves; this is for those that did not. @throws BusError */
async function endLeftovers(address: string | undefined): Promise<void> {
  const bus = await SystemdBus.connect(address);
  try {
    const [units] = await bus.manager('ListUnitsByPatterns', 'asas', [[], ['robot-skill@*.service']]);
    for (const [name] of units as [string][]) await killUnit(name, address); // as: a(ssssssouso)
  } finally {
    bus.close();
  }
}

async function problemOf(config: Config, places: UnitPlaces, address?: string): Promise<string | undefined> {
  const id = randomUUID();
  const unit = new SkillUnit(id, address);
  const place = await places.openFor(id);
  let attachment: Attachment | undefined;
  let ended: Promise<UnitEnd> | undefined;
  try {
    await place.write('start.py', ATTACH + WALLS_CHECK);
    attachment = await Attachment.open(place.folder);
    await unit.start();
    ended = unit.ended();
    const how = ended.then(({ result, code }) => `${result} ${code ?? ''}`.trim());
    const first = Promise.race([firstReport(attachment), how]);
    const report = await within(first, TIME_LIMIT_MS, () => 'it took too long');
    if (typeof report === 'string')
      return `systemd did not run ${unitOf(id)} (${report}): see journalctl -u '${unitOf(id)}'.`;
    return (await wallProblem(config, report)) ?? (await limitProblem(config, unit));
  } finally {
    unit.kill();
    attachment?.close();
    if (ended) await within<unknown>(ended, TIME_LIMIT_MS, () => undefined);
    unit.close();
    await place.remove();
  }
}

async function firstReport(attachment: Attachment): Promise<WallsReport> {
  const { channel } = await attachment.connected;
  for await (const line of createInterface({ input: channel })) return WallsReport.parse(JSON.parse(line));
  throw new Error('the unit said nothing');
}

async function wallProblem(config: Config, { problems, python, tmp }: WallsReport): Promise<string | undefined> {
  if (problems.length > 0)
    return `The units of this systemd do not keep skills apart (${problems.join('; ')}). It needs version 247 or newer.`;
  if (tmp !== config.SERVICE_SKILL_DISK_MB * MIB) return differs('SERVICE_SKILL_DISK_MB');
  const { PATH = '/usr/bin:/bin' } = config.childEnvironment;
  const set = await ask([config.SERVICE_SKILL_PYTHON, '-I', '-B', '-c', WHICH_PYTHON], { PATH }, undefined);
  return set.stdout.trim() === JSON.stringify(python).replaceAll('","', '", "')
    ? undefined
    : differs('SERVICE_SKILL_PYTHON');
}

async function limitProblem(config: Config, unit: SkillUnit): Promise<string | undefined> {
  const read = async (name: string) => BigInt(String(await unit.property('Service', name)));
  if ((await read('MemoryMax')) !== BigInt(config.SERVICE_SKILL_MEMORY_MB * MIB))
    return differs('SERVICE_SKILL_MEMORY_MB');
  if ((await read('TasksMax')) !== BigInt(config.SERVICE_SKILL_TASKS)) return differs('SERVICE_SKILL_TASKS');
  const counted = await Promise.all([read('MemoryCurrent'), read('TasksCurrent')]);
  if (counted.every((value) => value < 1n << 60n)) return undefined; // unknown is the largest number of 64 bits
  return 'This kernel does not limit the memory and tasks of units: boot it with cgroup_enable=memory.';
}

function differs(setting: string): string {
  return `The units of skills were installed with another ${setting}. ${INSTALL}, which copies it to them.`;
}

function explain(error: unknown): string {
  if (!(error instanceof BusError)) return `${error instanceof Error ? error.message : error}. ${INSTALL}.`;
  const said = saidBy(error);
  if (isDenied(said))
    return `polkit does not let the service start ${unitOf('*')}. Install polkit 0.106 or newer, such as polkitd 122. ${INSTALL}, which writes its rule.`;
  if (isUnknownUnit(said)) return `There is no ${unitOf('')}. ${INSTALL}.`;
  return `systemd did not start ${unitOf('*')}: ${said}.`;
}
