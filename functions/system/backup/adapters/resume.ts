import { dirname } from 'node:path';
import { type Config, databaseFile } from '../../../shared/config.ts';
import { unavailable } from '../../../shared/errors.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { sweep } from '../../../shared/kit/files/leftovers.ts';
import { FileFault } from '../../../shared/kit/files/watched-file.ts';
import type { Logger } from '../../../shared/observability/logger.ts';
import { back, doAll, end, forward, isTakenIn, readJournal } from './journal.ts';
import { FILE_PARTS, placeOf } from './places.ts';
import { newPrefix, oldPrefix } from './staging.ts';

/**
 * Finishes or undoes a restore that was killed, before anything else opens the files of the robot. What its database
 * has to do is done when that is opened: call {@link endRestore} then. Quick: a few renames.
 * @returns whether there was one.
 * @throws FileFault when it can neither be finished nor undone: nothing may be opened then.
 */
export async function resumeRestore(config: Config, logger: Logger): Promise<boolean> {
  try {
    const left = readJournal(config);
    if (!left) {
      await sweepLeftovers(config);
      return false;
    }
    const { journal, direction } = left;
    doAll(direction === 'forward' ? forward(journal) : back(journal));
    logger.warn({ direction }, 'a restore of the whole robot was interrupted; all of its files were put in place');
    if (direction === 'back' || isTakenIn(journal)) doAll(end(config, journal));
    return true;
  } catch (error) {
    const why = codeOf(error) ?? (error instanceof Error ? error.message : String(error));
    const remedy = 'Mend the cause, or restore a backup by hand and remove archives/restore.json from the data folder';
    throw new FileFault(`An interrupted restore of the whole robot cannot be finished (${why}). ${remedy}.`, {
      cause: error,
    });
  }
}

/** Forgets a restore that {@link resumeRestore} has finished, once the database is open. */
export function endRestore(config: Config): void {
  const left = readJournal(config);
  if (left && isTakenIn(left.journal)) doAll(end(config, left.journal));
}

/** Refuses to begin a restore while another one waits for a restart. Error: component_unavailable. */
export function assertNoneLeft(config: Config): void {
  endRestore(config);
  if (!readJournal(config)) return;
  throw unavailable('restore', 'An earlier one was interrupted: restart the service, which finishes or undoes it.');
}

/** What a killed process has left beside the parts before it began to swap them. */
async function sweepLeftovers(config: Config): Promise<void> {
  const places = [databaseFile(config), ...(await Promise.all(FILE_PARTS.map((part) => placeOf(part, config))))];
  for (const place of places) {
    for (const prefix of [newPrefix(place), oldPrefix(place)]) {
      try {
        sweep(dirname(place), prefix);
      } catch {
        // no folder yet, or a disk that may only be read
      }
    }
  }
}
