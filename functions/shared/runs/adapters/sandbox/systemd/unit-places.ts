import { mkdirSync } from 'node:fs';
import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workplace } from '../../../sandbox.port.ts';

/** The folders of all runs; made by tmpfiles.conf for the group of the units, each of which sees one as `inside`. */
const INSTALLED = { folder: '/run/robot-rest-runs', inside: '/run/robot-rest', packages: '/run/robot-rest-python' };

/** Where the folders of runs are, and where a unit sees its own and the package `robot_rest`. */
export interface UnitPaths {
  readonly folder: string;
  /** undefined: the same as outside. */
  readonly inside: string | undefined;
  readonly packages: string;
}

/** Of the owner and the group, which the setgid bit of the parent gives to everything in it. */
const MODE = { file: 0o440, socket: 0o660 } as const;
const FOLDER_UMASK = 0o027;

/** A folder that the unit of a run sees. */
export interface UnitPlace extends Workplace {
  /** The folder as the unit sees it. */
  readonly inside: string;
  /** The folder of the package `robot_rest`, as the unit sees it. */
  readonly packages: string;
  /** Writes a file of the folder. */
  write(name: string, content: string | Buffer): Promise<void>;
}

/** The folders that the units of runs see. */
export class UnitPlaces {
  readonly #paths: UnitPaths;

  private constructor(paths: UnitPaths) {
    this.#paths = paths;
  }

  /** Removes what killed services left behind. @throws when there is no such folder, or it is not writable. */
  static async open(paths: UnitPaths = INSTALLED): Promise<UnitPlaces> {
    const { folder } = paths;
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
    return new UnitPlaces(paths);
  }

  async openFor(runId: string): Promise<UnitPlace> {
    const { inside, packages } = this.#paths;
    const folder = join(this.#paths.folder, runId);
    const within = (name: string) => join(folder, name);
    const before = process.umask(FOLDER_UMASK); // chmod would clear the setgid bit, and may not set it
    try {
      mkdirSync(within('skill'), { recursive: true });
    } finally {
      process.umask(before);
    }
    const [socketPath, eventsPath] = [within('rest.sock'), within('events.sock')];
    return {
      folder,
      inside: inside ?? folder,
      packages,
      socketPath,
      eventsPath,
      async write(name, content) {
        await writeFile(within(name), content, { flag: 'wx' });
        await chmod(within(name), MODE.file);
      },
      async handOver() {
        for (const path of [socketPath, eventsPath]) await chmod(path, MODE.socket);
      },
      async remove() {
        await rm(folder, { recursive: true, force: true }).catch(() => undefined);
      },
    };
  }
}
