import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { packArchive } from '../../../shared/archive/pack.ts';
import { VERSION } from '../../../shared/build-info.ts';
import type { Config } from '../../../shared/config.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { sweep, unfinishedName } from '../../../shared/kit/files/leftovers.ts';
import { makePrivateFolder } from '../../../shared/kit/files/replace-file.ts';
import { Semaphore } from '../../../shared/kit/semaphore.ts';
import { FORMAT, type Manifest } from '../manifest.schema.ts';
import type { DatabaseFiles, RobotArchives } from '../port.ts';
import { withManifest } from '../with-manifest.ts';
import { findPresent, type Present, presentMembers } from './present-members.ts';

const UNFINISHED = 'unfinished-copy-';

export interface ArchivesWorld {
  readonly config: Config;
  readonly clock: () => number;
  readonly database: () => Promise<DatabaseFiles>;
}

/** The archives of this machine's robot. Those that restores leave are in the folder `archives` of the data folder. */
export class LocalArchives implements RobotArchives {
  readonly #world: ArchivesWorld;
  readonly #folder: string;
  readonly #turn = new Semaphore(1);

  constructor(world: ArchivesWorld) {
    this.#world = world;
    this.#folder = join(world.config.SERVICE_DATA_DIR, 'archives');
  }

  async pack(): Promise<Readable> {
    const release = this.#turn.tryAcquire();
    if (!release) throw underWay();
    const copy = join(this.#folder, `${unfinishedName(UNFINISHED)}.sqlite`);
    const end = () => {
      rmSync(copy, { force: true });
      release();
    };
    try {
      makePrivateFolder(this.#folder);
      sweep(this.#folder, UNFINISHED);
      const database = await this.#world.database();
      await database.copyTo(copy);
      const present = await findPresent(this.#world.config);
      return this.#packed(present, copy, database.schemaVersion).once('close', end);
    } catch (error) {
      end();
      throw error;
    }
  }

  #packed(present: Present, databaseCopy: string, schema: number): Readable {
    const { config, clock } = this.#world;
    const now = new Date(clock());
    const about: Omit<Manifest, 'files'> = {
      format: FORMAT,
      version: VERSION,
      schema,
      robot_id: config.SERVICE_ROBOT_ID,
      created_at: now.toISOString(),
      parts: ['database', ...present.parts],
    };
    return packArchive(withManifest(about, presentMembers(present, databaseCopy, config, now)));
  }
}

function underWay(): ServiceError {
  return new ServiceError('busy', {
    detail: 'A backup or a restore of the whole robot is under way. Try again when it is done.',
    headers: { 'retry-after': '5' },
  });
}
