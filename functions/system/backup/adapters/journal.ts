import { lstatSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import { codeOf } from '../../../shared/kit/error-code.ts';
import { incomingPath } from '../../../shared/kit/files/incoming.ts';
import { unfinishedName } from '../../../shared/kit/files/leftovers.ts';
import { replaceFile, syncFolder } from '../../../shared/kit/files/replace-file.ts';
import { oldPrefix, type StagedPart } from './staging.ts';

const Swap = z.strictObject({
  target: z.string(),
  /** Where its successor lies; put in place when there is none any more. */
  staged: z.string(),
  /** Where the present one goes. */
  aside: z.string(),
  /** Whether there is a present one. */
  exists: z.boolean(),
});

/**
 * What a restore is about to do. From the moment it is on the disk, whoever starts next finishes it; from the moment it
 * is renamed, whoever starts next undoes it. Every step may be done twice.
 */
export const Journal = z.strictObject({
  swaps: z.array(Swap),
  database: z.strictObject({ file: z.string(), staged: z.string() }),
});
export type Journal = z.infer<typeof Journal>;

export type Direction = 'forward' | 'back';

/** Where the journal is; a rename turns it round, which takes no room on a full disk. */
export function journalPath({ SERVICE_DATA_DIR }: Config, direction: Direction): string {
  return join(SERVICE_DATA_DIR, 'archives', direction === 'forward' ? 'restore.json' : 'restore-back.json');
}

/** The journal of a swap of these parts. */
export function journalOf(parts: readonly StagedPart[], database: StagedPart): Journal {
  const swaps = parts.map(({ target, staged }) => ({
    target,
    staged,
    aside: join(dirname(target), unfinishedName(oldPrefix(target))),
    exists: isThere(target),
  }));
  return { swaps, database: { file: database.target, staged: database.staged } };
}

/** From here on the restore happens, whatever comes. */
export function begin(config: Config, journal: Journal): void {
  replaceFile(journalPath(config, 'forward'), JSON.stringify(journal));
}

/** From here on it does not. */
export function turnBack(config: Config): void {
  renameSync(journalPath(config, 'forward'), journalPath(config, 'back'));
  syncFolder(journalPath(config, 'back'));
}

/** The journal that a restore has left, and which way it goes. @throws SyntaxError, ZodError for one that is damaged. */
export function readJournal(config: Config): { readonly journal: Journal; readonly direction: Direction } | undefined {
  for (const direction of ['back', 'forward'] as const) {
    try {
      const text = readFileSync(journalPath(config, direction), 'utf8');
      return { journal: Journal.parse(JSON.parse(text)), direction };
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

/** Puts every part in place, the database in front of its door: it is taken in by who opens it. */
export function* forward({ swaps, database }: Journal): Generator<void> {
  for (const { target, staged, aside } of swaps) {
    if (!isThere(staged)) continue;
    if (isThere(target) && !isThere(aside)) renameSync(target, aside);
    yield;
    rmSync(target, { recursive: true, force: true }); // nothing of ours: the present one is aside
    renameSync(staged, target);
    syncFolder(target);
    yield;
  }
  if (isThere(database.staged)) renameSync(database.staged, incomingPath(database.file));
  syncFolder(database.file);
}

/** Puts back what {@link forward} has put in place. The database must not have been taken in. */
export function* back({ swaps, database }: Journal): Generator<void> {
  rmSync(incomingPath(database.file), { force: true });
  yield;
  for (const { target, staged, aside, exists } of swaps) {
    const isNew = exists ? isThere(aside) : !isThere(staged);
    if (isNew && isThere(target) && !isThere(staged)) renameSync(target, staged);
    yield;
    if (isThere(aside)) renameSync(aside, target);
    syncFolder(target);
    yield;
  }
}

/** Whether the database has taken in what it was given. */
export function isTakenIn({ database }: Journal): boolean {
  return !isThere(incomingPath(database.file)) && !isThere(database.staged);
}

/** Removes the journal, and then what nobody needs any more, which may take a while. */
export function* end(config: Config, { swaps, database }: Journal): Generator<void> {
  for (const direction of ['forward', 'back'] as const) rmSync(journalPath(config, direction), { force: true });
  syncFolder(journalPath(config, 'forward'));
  yield;
  for (const { aside, staged } of swaps) {
    rmSync(aside, { recursive: true, force: true });
    rmSync(staged, { recursive: true, force: true });
    yield;
  }
  rmSync(database.staged, { force: true });
}

/** Does all steps of one of the above. */
export function doAll(steps: Generator<void>): void {
  for (const _ of steps);
}

/** Also of a link that leads nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
