import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Config } from '../../../config.ts';
import type { Logger } from '../../../observability/logger.ts';
import type { SandboxProbe } from '../../sandbox.port.ts';
import { BubblewrapSandbox } from './bubblewrap.ts';
import { bubblewrapWalls } from './bubblewrap-walls.ts';
import { ask, findInterpreter, type RunUser } from './interpreter.ts';
import { PlainSandbox } from './plain.ts';
import { isInstalledService, openSystemd } from './systemd/open.ts';
import { Workplaces } from './workplaces.ts';

/** Users of the slots where the service is root: above systemd's dynamic users, and reserved by Debian. */
const FIRST_SLOT_UID = 65_520;

const CHECK = `
import os, socket
status = open("/proc/self/status").read()
assert "CapEff:\\t0000000000000000" in status and "CapBnd:\\t0000000000000000" in status, "it keeps capabilities"
assert [name for _, name in socket.if_nameindex()] in ([], ["lo"]), "it has a network"
for path in ("/usr/x", "/x", "/dev/x", "/proc/sys/kernel/core_pattern"):
    try:
        open(path, "w")
    except OSError:
        continue
    raise AssertionError(path + " can be written")
print("walls stand")
`;

/**
 * Finds out what can keep skills apart here: units of systemd, for the installed service; bubblewrap, if a skill's walls
 * stand when it is tried; else, in sim mode, nothing, which the runs then say.
 */
export async function probeSandbox(config: Config, logger: Logger): Promise<SandboxProbe> {
  if (isInstalledService()) return openSystemd(config);
  const tried = await openBubblewrap(config);
  if ('sandbox' in tried || config.SERVICE_MODE !== 'sim' || tried.canBeMended) return tried;
  const { PATH = '/usr/bin:/bin' } = config.childEnvironment;
  logger.warn({ reason: tried.problem }, 'skills run without a sandbox, in sim mode only');
  return { sandbox: new PlainSandbox(config, await Workplaces.open(config.SERVICE_SKILL_PYTHON, PATH)) };
}

/** `canBeMended`: bubblewrap is there, and only a setting keeps it from being used. */
type NoBubblewrap = { readonly problem: string; readonly canBeMended?: true };

async function openBubblewrap(config: Config): Promise<{ readonly sandbox: BubblewrapSandbox } | NoBubblewrap> {
  const { PATH = '/usr/bin:/bin' } = config.childEnvironment;
  const program = programIn(PATH, 'bwrap');
  if (program === undefined) return { problem: 'Install bubblewrap (0.8 or newer) to run skills.' };
  const isRoot = process.getuid?.() === 0;
  const userOf = (slot: number): RunUser | undefined =>
    isRoot ? { uid: FIRST_SLOT_UID + slot, gid: FIRST_SLOT_UID + slot } : undefined;
  const interpreter = await findInterpreter(config.SERVICE_SKILL_PYTHON, PATH, userOf(0));
  if (!interpreter || interpreter.folders.includes('/')) {
    const who = isRoot ? 'an unprivileged user, as which skills run,' : 'this user';
    const problem = `There is no Python that ${who} can use. Set SERVICE_SKILL_PYTHON to one, such as /usr/bin/python3.`;
    return { problem, canBeMended: true };
  }
  const words = [...bubblewrapWalls(config, interpreter.folders), '--remount-ro', '/', '--', interpreter.path];
  const tried = await ask([program, ...words, '-I', '-B', '-c', CHECK], {}, userOf(0));
  if (tried.code !== 0 || !tried.stdout.includes('walls stand')) {
    const reason = tried.stderr.trim().split('\n').at(-1) ?? '';
    const problem = `Bubblewrap does not work here (${reason.slice(0, 200)}). It needs version 0.8 or newer and unprivileged user namespaces.`;
    return { problem };
  }
  const workplaces = await Workplaces.open(interpreter.path, PATH);
  return { sandbox: new BubblewrapSandbox({ config, workplaces, program, interpreter, userOf }) };
}

function programIn(path: string, name: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, name))
    .find((candidate) => {
      try {
        accessSync(candidate, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
