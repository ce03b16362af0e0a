import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../config.ts';
import type { Job, ProcessListener, RunProcess, Sandbox, Workplace } from '../../sandbox.port.ts';
import { BOOTSTRAP } from './bootstrap.ts';
import { limitsOf } from './limits.ts';
import { runProcess } from './run-process.ts';
import type { Workplaces } from './workplaces.ts';

/** Isolated from the environment and the user's packages. */
export const PYTHON_FLAGS = ['-I', '-B'];

/**
 * Runs skills as children of the service: for sim mode, where there is no robot to protect. It promises to end their
 * process group, and nothing else.
 */
export class PlainSandbox implements Sandbox {
  readonly name = 'none';
  readonly #config: Config;
  readonly #workplaces: Workplaces;

  constructor(config: Config, workplaces: Workplaces) {
    this.#config = config;
    this.#workplaces = workplaces;
  }

  openWorkplace(runId: string): Promise<Workplace> {
    return this.#workplaces.openFor(runId, undefined);
  }

  start(runId: string, _slot: number, job: Job, workplace: Workplace, listener: ProcessListener): RunProcess {
    const path = join(workplace.folder, `${job.skill}.py`);
    writeFileSync(path, job.source, { mode: 0o400, flag: 'wx' });
    const home = join(workplace.folder, 'home');
    const { PATH = '/usr/bin:/bin', LANG = 'C.UTF-8' } = this.#config.childEnvironment;
    const child = spawn(this.#config.SERVICE_SKILL_PYTHON, [...PYTHON_FLAGS, '-c', BOOTSTRAP], {
      cwd: home,
      env: {
        PATH,
        LANG,
        HOME: home,
        ROBOT_REST_SOCKET: workplace.socketPath,
        ROBOT_REST_EVENTS: workplace.eventsPath,
        ROBOT_REST_RUN: runId,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const { skill, function: name, args } = job;
    const limits = limitsOf(this.#config, { countsTasks: false });
    return runProcess({
      child,
      release: { path, skill, function: name, args, packages: this.#workplaces.packages, limits, vendor: null },
      listener,
      killable: Promise.resolve(),
      killRest: () => undefined,
    });
  }

  close(): Promise<void> {
    return this.#workplaces.close();
  }
}
