import { chmod, chown, cp, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUNDLED } from '../../../build-info.ts';
import { isOtherProcess } from '../../../kit/child-process/is-other-process.ts';
import type { Workplace } from '../../sandbox.port.ts';
import { ask, type RunUser } from './interpreter.ts';

/** The Python package `robot_rest`: beside the bundle, or in the sources. */
const PACKAGE = join(
  import.meta.dirname,
  BUNDLED ? 'python/robot_rest' : '../../../../../clients/python/src/robot_rest',
);
const PREFIX = 'robot-rest-runs-';

/**
 * The folders of runs, outside of the data folder: whom a skill runs as could not enter it. One folder per service, in
 * it the package `robot_rest` and a private folder per run.
 */
export class Workplaces {
  readonly #folder: string;
  /** Folder that holds the package `robot_rest`. */
  readonly packages: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.packages = join(folder, 'python');
  }

  /** Removes what killed processes of this user left behind. @param python runs the package, which is compiled for it. */
  static async open(python: string, path: string): Promise<Workplaces> {
    await removeLeftovers();
    const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
    const workplaces = new Workplaces(folder);
    await cp(PACKAGE, join(workplaces.packages, 'robot_rest'), {
      recursive: true,
      filter: (source) => !source.endsWith('__pycache__'),
    });
    // Saves every run a fifth of the time that its imports take; it works without, too.
    await ask([python, '-I', '-m', 'compileall', '-q', workplaces.packages], { PATH: path }, undefined);
    await openToReaders(workplaces.packages);
    await chmod(folder, 0o711);
    return workplaces;
  }

  /** A new folder, with the skill in it. */
  async openFor(runId: string, user: RunUser | undefined): Promise<Workplace> {
    const folder = join(this.#folder, runId.slice(0, 13));
    await mkdir(join(folder, 'home'), { recursive: true, mode: 0o700 });
    const socketPath = join(folder, 'rest.sock');
    const eventsPath = join(folder, 'events.sock');
    return {
      folder,
      socketPath,
      eventsPath,
      async handOver() {
        if (!user) return;
        for (const path of [folder, join(folder, 'home'), socketPath, eventsPath])
          await chown(path, user.uid, user.gid);
      },
      async remove() {
        await rm(folder, { recursive: true, force: true }).catch(() => undefined);
      },
    };
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function openToReaders(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToReaders(path);
    else await chmod(path, 0o644);
  }
}

/** Only of this user: in a folder open to all, anybody could make such a name. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (!Number.isInteger(pid) || isOtherProcess(pid)) continue;
    const path = join(tmpdir(), name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isDirectory() && stats.uid === process.getuid?.())
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
