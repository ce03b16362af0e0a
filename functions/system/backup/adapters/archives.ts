import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { packArchive } from '../../../shared/archive/pack.ts';
import { VERSION } from '../../../shared/build-info.ts';
import { Semaphore } from '../../../shared/kit/semaphore.ts';
import { underWay } from '../archive-errors.ts';
import type { KeptArchive, RestoredRobot } from '../backup.schema.ts';
import { FORMAT, type Manifest, type Part } from '../manifest.schema.ts';
import type { RestoreOptions, RobotArchives } from '../port.ts';
import { withManifest } from '../with-manifest.ts';
import type { ArchivesWorld } from './archives-world.ts';
import { KeptArchives } from './kept-archives.ts';
import { placeOf } from './places.ts';
import { findPresent, type Present, presentMembers } from './present-members.ts';
import { Restore } from './restore.ts';

/** The archives of this machine's robot. Those that restores leave are in the folder `archives` of the data folder. */
export class LocalArchives implements RobotArchives {
  readonly #world: ArchivesWorld;
  readonly #kept: KeptArchives;
  readonly #turn = new Semaphore(1);

  constructor(world: ArchivesWorld) {
    this.#world = world;
    const { SERVICE_DATA_DIR, SERVICE_MIN_FREE } = world.config;
    this.#kept = new KeptArchives(join(SERVICE_DATA_DIR, 'archives'), SERVICE_MIN_FREE);
  }

  async pack(): Promise<Readable> {
    const release = this.#turn.tryAcquire();
    if (!release) throw underWay();
    try {
      this.#kept.prepare();
      return (await this.#packed()).once('close', release);
    } catch (error) {
      release();
      throw error;
    }
  }

  list(): KeptArchive[] {
    return this.#kept.list();
  }

  async restore(archive: Readable | { readonly name: string }, options: RestoreOptions): Promise<RestoredRobot> {
    const release = this.#turn.tryAcquire();
    if (!release) throw underWay();
    try {
      this.#kept.prepare();
      if (!options.dryRun) await this.#world.assertStill();
      const restore = new Restore({
        ...this.#world,
        database: await this.#world.database(),
        keepPresent: async (now) => this.#kept.keep(await this.#packed(), now),
        kept: this.#kept,
      });
      return await restore.run(archive instanceof Readable ? archive : await this.#kept.open(archive.name), options);
    } finally {
      release();
    }
  }

  /** Its copy of the database goes with the stream. */
  async #packed(): Promise<Readable> {
    const { config, clock } = this.#world;
    const database = await this.#world.database();
    const copy = this.#kept.unfinished('.sqlite');
    const removeCopy = () => rmSync(copy, { force: true });
    try {
      await database.copyTo(copy);
      const present = await findPresent(config);
      const now = new Date(clock());
      const about: Omit<Manifest, 'files'> = {
        format: FORMAT,
        version: VERSION,
        schema: database.schemaVersion,
        robot_id: config.SERVICE_ROBOT_ID,
        created_at: now.toISOString(),
        parts: ['database', ...present.parts],
        unreadable: await this.#unreadable(present),
      };
      const archive = packArchive(withManifest(about, presentMembers(present, copy, config, now)));
      return archive.once('close', removeCopy);
    } catch (error) {
      removeCopy();
      throw error;
    }
  }

  async #unreadable({ parts }: Present): Promise<Part[]> {
    const { config, languageModelProblem } = this.#world;
    if (!parts.includes('language_model')) return [];
    const problem = await languageModelProblem(await placeOf('language_model', config));
    return problem === undefined ? [] : ['language_model'];
  }
}
