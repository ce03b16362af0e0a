import { mkdirSync } from 'node:fs';
import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workplace } from '../../../sandbox.port.ts';

/** The folders of all runs, one of which each unit sees; made by tmpfiles.conf for the group of the units. */
const FOLDER = '/run/robot-rest-runs';

/** Of the owner and the group, which the setgid bit of the parent gives to everything in it. */
const MODE = { file: 0o440, socket: 0o660 } as const;
const FOLDER_UMASK = 0o027;

/** A folder that the unit of a run sees. */
export interface UnitPlace extends Workplace {
  /** Writes a file of the folder. */
  write(name: string, content: string | Buffer): Promise<void>;
}

/** The folders that the units of runs see. */
export class UnitPlaces {
  /** Removes what killed services left behind. @throws when there is no such folder, or it is not writable. */
  static async open(): Promise<UnitPlaces> {
    for (const name of await readdir(FOLDER)) await rm(join(FOLDER, name), { recursive: true, force: true });
    return new UnitPlaces();
  }

  async openFor(runId: string): Promise<UnitPlace> {
    const folder = join(FOLDER, runId);
    const inside = (name: string) => join(folder, name);
    const before = process.umask(FOLDER_UMASK); // chmod would clear the setgid bit, and may not set it
    try {
      mkdirSync(inside('skill'), { recursive: true });
    } finally {
      process.umask(before);
    }
    const [socketPath, eventsPath] = [inside('rest.sock'), inside('events.sock')];
    return {
      folder,
      socketPath,
      eventsPath,
      async write(name, content) {
        await writeFile(inside(name), content, { flag: 'wx' });
        await chmod(inside(name), MODE.file);
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
