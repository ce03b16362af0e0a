import type { Readable } from 'node:stream';
import { ServiceError } from '../../../shared/errors.ts';
import { maskedSettings } from '../../../shared/observability/masked-settings.ts';
import { invalidArchive } from '../archive-errors.ts';
import type { RestoredRobot } from '../backup.schema.ts';
import { checkManifest } from '../check-manifest.ts';
import { MEMBER_OF, type Part } from '../manifest.schema.ts';
import type { DatabaseFiles, RestoreOptions } from '../port.ts';
import { differingSettings } from '../settings-difference.ts';
import type { ArchivesWorld } from './archives-world.ts';
import { dressLike } from './dress.ts';
import { back, begin, doAll, end, forward, type Journal, journalOf, turnBack } from './journal.ts';
import type { KeptArchives } from './kept-archives.ts';
import { assertNoneLeft } from './resume.ts';
import { type StagedPart, Staging } from './staging.ts';

interface RestoreWorld extends Omit<ArchivesWorld, 'database'> {
  readonly database: DatabaseFiles;
  readonly kept: KeptArchives;
  /** Keeps what is here as an archive, and gives its name. */
  readonly keepPresent: (now: number) => Promise<string>;
}

/** Whether two parts have the same content is not compared; which parts there are is. */
type Answer = Pick<RestoredRobot, 'restored' | 'settings'>;

/**
 * One restore: takes the archive in beside what is there, checks all of it, keeps what is there, and then swaps under a
 * journal. Until the journal is written nothing has changed; from then on it is finished, or undone by who notices.
 */
export class Restore {
  readonly #world: RestoreWorld;
  #hasBegun = false;

  constructor(world: RestoreWorld) {
    this.#world = world;
  }

  async run(archive: Readable, options: RestoreOptions): Promise<RestoredRobot> {
    const { config, database, logger } = this.#world;
    assertNoneLeft(config);
    const staging = await Staging.begin(config, database.file);
    try {
      const answer = await this.#takeIn(staging, archive, options);
      if (options.dryRun) return { ...answer, backup: null, restart_needed: answer.restored.includes('mapping') };
      const staged = answer.restored.flatMap((part) => staging.places.get(part) ?? []);
      const backup = await this.#swapAlone(staged, options.signal);
      logger.warn({ restored: answer.restored, backup }, 'the whole robot was restored');
      return { ...answer, backup, restart_needed: answer.restored.includes('mapping') };
    } finally {
      archive.destroy();
      if (!this.#hasBegun) staging.remove(); // else the journal tells what becomes of it
    }
  }

  /** Everything that can be found wrong is found here, or when the database rehearses. */
  async #takeIn(staging: Staging, archive: Readable, { adopt, signal }: RestoreOptions): Promise<Answer> {
    const { config, database } = this.#world;
    const { members, manifest: text, settings } = await staging.receive(archive, signal);
    const here = { robotId: config.SERVICE_ROBOT_ID, schemaVersion: database.schemaVersion, adopt };
    const { parts, unreadable } = await checkManifest(text, members, here);
    await this.#assertSound(staging.places.get('database')?.staged ?? '', signal);
    if (!unreadable.includes('language_model') && members.has(MEMBER_OF.language_model))
      await this.#assertReadable(staging.places.get('language_model')?.staged ?? '');
    await staging.makeFolders(parts);
    for (const part of parts) await dress(staging.places.get(part));
    const restored = [...new Set<Part>(parts)];
    return { restored, settings: differingSettings(maskedSettings(config), settings) };
  }

  async #assertSound(database: string, signal: AbortSignal): Promise<void> {
    await this.#world.database.assertSound(database, signal).catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.code === 'backup_invalid')) throw error;
      const why = /^The file (.*)\. It was not kept\.$/.exec(error.message)?.[1] ?? 'cannot be used';
      throw invalidArchive(`has a database.sqlite that ${why}`, error);
    });
  }

  async #assertReadable(languageModel: string): Promise<void> {
    const problem = await this.#world.languageModelProblem(languageModel);
    if (problem === undefined) return;
    throw invalidArchive(`has a ${MEMBER_OF.language_model} that this service cannot read. ${problem}`);
  }

  /** While every other write waits. @returns the archive of what was there. */
  #swapAlone(staged: readonly StagedPart[], signal: AbortSignal): Promise<string> {
    const { gate, database, assertStill, config, clock, kept, keepPresent } = this.#world;
    const own = staged.filter(({ part }) => part !== 'database');
    const ofDatabase = staged.find(({ part }) => part === 'database');
    if (!ofDatabase) throw new Error('an archive without a database was not refused');
    return gate.close(() =>
      database.hold(async (held) => {
        await held.rehearse(ofDatabase.staged);
        const backup = await keepPresent(clock());
        try {
          await assertStill();
          signal.throwIfAborted();
          const journal = journalOf(own, ofDatabase);
          begin(config, journal);
          this.#hasBegun = true;
          await this.#swap(journal, () => held.takeIn());
        } catch (error) {
          kept.discard(backup);
          throw error;
        }
        kept.prune();
        return backup;
      }),
    );
  }

  async #swap(journal: Journal, takeIn: () => Promise<void>): Promise<void> {
    const { config } = this.#world;
    try {
      doAll(forward(journal));
      await takeIn();
    } catch (error) {
      turnBack(config);
      doAll(back(journal));
      doAll(end(config, journal));
      throw error;
    }
    doAll(end(config, journal));
  }
}

async function dress(place: StagedPart | undefined): Promise<void> {
  if (place) await dressLike(place);
}
