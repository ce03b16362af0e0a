import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../../shared/errors.ts';
import { run } from '../../../shared/kit/child-process/run.ts';
import { CommandFailure } from '../../../shared/kit/child-process/running.ts';
import type { Verdict } from './check-snapshot.ts';

/** A file that takes longer to check is refused, in ms. */
export const CHECK_MS = 30_000;
/** The program that checks: the one of the database threads, run as a process of its own. */
const CHECKER = import.meta.url.endsWith('.ts') ? './thread-from-sources.mjs' : './database-thread.js';

/**
 * Has another process look at a file that comes from outside. Error: backup_invalid, saying what is wrong with it.
 * @param limitMs longest time of the check, in ms.
 */
export async function assertSound(path: string, signal: AbortSignal, limitMs: number): Promise<void> {
  const checker = fileURLToPath(new URL(CHECKER, import.meta.url));
  const words = [process.execPath, checker, path] as const;
  let said = '';
  try {
    const { stdout, code } = await run([...words], { environment: {}, signal, timeLimit: limitMs });
    said = code === 0 ? stdout : '';
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.kind === 'missing') throw error;
    throw invalidBackup(`takes more than ${limitMs / 1000} s to check`, error);
  }
  if (said === '') throw invalidBackup('is damaged: SQLite cannot read it');
  const { fault } = JSON.parse(said) as Verdict; // as: the checker prints nothing else
  if (fault !== null) throw invalidBackup(fault);
}

function invalidBackup(why: string, cause?: unknown): ServiceError {
  return new ServiceError('backup_invalid', { detail: `The file ${why}. It was not kept.`, cause });
}
