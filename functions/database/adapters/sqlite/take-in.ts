import { existsSync, rmSync } from 'node:fs';
import { incomingPath } from '../../../shared/kit/files/incoming.ts';
import { syncFolder } from '../../../shared/kit/files/replace-file.ts';
import { asUnusable, prepare, replaceRows } from './restore.ts';
import type { Session } from './session.ts';

/** Ends a rehearsal. */
class Undo extends Error {}

/**
 * Replaces all rows by those of the incoming database, in one transaction, if there is one, and removes it. A process
 * that is killed in between does it again when it opens the database, before any write.
 * Errors: conflict for one that cannot be used, storage_full.
 */
export async function takeIn(session: Session, file: string): Promise<void> {
  const incoming = incomingPath(file);
  if (!existsSync(incoming)) return;
  await replaceBy(session, incoming);
  rmSync(incoming);
  syncFolder(incoming);
}

/** Does all that {@link takeIn} would do with a file, and undoes it, so that what is wrong is found before anything else is changed. */
export async function rehearse(session: Session, copy: string): Promise<void> {
  await replaceBy(session, copy, () => {
    throw new Undo();
  }).catch((error: unknown) => {
    if (!(error instanceof Undo)) throw error;
  });
}

async function replaceBy(session: Session, copy: string, atEnd: () => void = () => {}): Promise<void> {
  await prepare(copy);
  session.prepare('ATTACH ? AS snapshot').run(copy);
  try {
    await session.transaction(() => {
      session.database.pragma('defer_foreign_keys = ON'); // a table of another program may refer to what comes back
      const dangling = danglingRows(session);
      replaceRows(session);
      assertNoMore(danglingRows(session) - dangling);
      atEnd();
    });
  } catch (error) {
    throw asUnusable(error);
  } finally {
    session.database.exec('DETACH snapshot');
  }
}

function danglingRows(session: Session): number {
  return (session.database.pragma('main.foreign_key_check') as unknown[]).length; // as: a row for each
}

/** A rehearsal never comes to the check at the end of its transaction. */
function assertNoMore(dangling: number): void {
  if (dangling <= 0) return;
  throw Object.assign(new Error('rows would refer to none'), { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
}
