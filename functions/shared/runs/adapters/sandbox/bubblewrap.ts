import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Config } from '../../../config.ts';
import type { Job, ProcessListener, RunProcess, Sandbox, Workplace } from '../../sandbox.port.ts';
import { BOOTSTRAP } from './bootstrap.ts';
import { bubblewrapWalls } from './bubblewrap-walls.ts';
import type { Interpreter, RunUser } from './interpreter.ts';
import { limitsOf, type RunLimits } from './limits.ts';
import { PYTHON_FLAGS } from './plain.ts';
import { runProcess } from './run-process.ts';
import { SandboxInit } from './sandbox-init.ts';
import type { Workplaces } from './workplaces.ts';

/** Where a skill finds what the service gives it. */
const INSIDE = '/run/robot-rest';
const VENDOR = { rest: `${INSIDE}/rest.sock`, events: `${INSIDE}/events.sock` };

export interface BubblewrapParts {
  readonly config: Config;
  readonly workplaces: Workplaces;
  /** Path of the program. */
  readonly program: string;
  readonly interpreter: Interpreter;
  /** The unprivileged user of a slot; undefined where the service has no privileges itself. */
  readonly userOf: (slot: number) => RunUser | undefined;
}

/** Runs skills under bubblewrap (https://github.com/containers/bubblewrap). */
export class BubblewrapSandbox implements Sandbox {
  readonly name = 'bubblewrap';
  readonly #parts: BubblewrapParts;

  constructor(parts: BubblewrapParts) {
    this.#parts = parts;
  }

  openWorkplace(runId: string, slot: number): Promise<Workplace> {
    return this.#parts.workplaces.openFor(runId, this.#parts.userOf(slot));
  }

  start(runId: string, slot: number, job: Job, workplace: Workplace, listener: ProcessListener): RunProcess {
    const { config, workplaces, program, interpreter, userOf } = this.#parts;
    const { skill, function: name, args, source } = job;
    const copy = join(workplace.folder, `${skill}.py`);
    writeFileSync(copy, source, { mode: 0o444, flag: 'wx' });
    chmodSync(copy, 0o444); // whatever the umask
    const path = `${INSIDE}/skill/${skill}.py`;
    const packages = `${INSIDE}/python`;
    const words = [
      ...bubblewrapWalls(config, interpreter.folders),
      ...['--ro-bind', workplaces.packages, packages],
      ...['--ro-bind', copy, path],
      ...['--ro-bind', workplace.socketPath, `${INSIDE}/rest.sock`],
      ...['--ro-bind', workplace.eventsPath, `${INSIDE}/events.sock`],
      ...['--setenv', 'ROBOT_REST_SOCKET', `${INSIDE}/rest.sock`],
      ...['--setenv', 'ROBOT_REST_EVENTS', `${INSIDE}/events.sock`],
      ...['--setenv', 'ROBOT_REST_RUN', runId],
      ...['--remount-ro', '/', '--info-fd', '4', '--'],
      ...[interpreter.path, ...PYTHON_FLAGS, '-c', BOOTSTRAP],
    ];
    const ownUser = userOf(slot);
    const early = limitsOf(config, { countsTasks: ownUser !== undefined });
    // Set before anything starts: a skill may trace the sandbox's own first process, which runs as the same user.
    const child = spawn('prlimit', [...prlimitWords(early.rlimits), '--', program, ...words], {
      cwd: '/',
      env: { PATH: config.childEnvironment.PATH ?? '/usr/bin:/bin' }, // where prlimit is; cleared by bubblewrap
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
      ...ownUser,
    });
    const init = new SandboxInit(child.stdio[4] as Readable); // as: a pipe, see stdio above
    return runProcess({
      child,
      release: {
        path,
        skill,
        function: name,
        args,
        packages,
        limits: limitsOf(config, { countsTasks: true }),
        vendor: VENDOR,
      },
      listener,
      killable: init.known,
      killRest: () => init.kill(),
    });
  }

  close(): Promise<void> {
    return this.#parts.workplaces.close();
  }
}

/** `RLIMIT_AS` and its value as `--as=536870912:536870912`. */
function prlimitWords(rlimits: RunLimits['rlimits']): string[] {
  return Object.entries(rlimits).map(
    ([name, value]) => `--${name.slice('RLIMIT_'.length).toLowerCase()}=${value}:${value}`,
  );
}
