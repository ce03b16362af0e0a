import { ServiceError, unavailable } from '../../../shared/errors.ts';
import { codeOf, isDiskFull } from '../../../shared/kit/error-code.ts';

const NO_ROOM = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']);
const UNUSABLE = /^SQLITE_(CORRUPT|NOTADB|CANTOPEN|READONLY|IOERR|PERM)/;

/** Gives what SQLite and the file system throw a code; what nobody foresaw passes as it is. */
export function named(error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof ServiceError || code === undefined) return error;
  if (NO_ROOM.has(code) || isDiskFull(error)) {
    return new ServiceError('storage_full', {
      detail: 'The storage is full; nothing was changed. Free some space and try again.',
      cause: error,
    });
  }
  if (code.startsWith('SQLITE_BUSY')) return busy('Another program holds the database.', error);
  if (UNUSABLE.test(code)) {
    return unavailable('database', `SQLite reports ${code}. The log and a restart of the service tell more.`, error);
  }
  if (code === 'SQLITE_ERROR' && isSpoilt(error)) {
    const remedy =
      'Its file was changed from outside and lacks tables. The log and a restart of the service tell more.';
    return unavailable('database', remedy, error);
  }
  return error;
}

/** The tables were there when the file was opened, and no statement names another. */
function isSpoilt(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'message' in error && /^no such table/.test(String(error.message))
  );
}

/** 409 for now: the same request works later. */
export function busy(why: string, cause?: unknown): ServiceError {
  return new ServiceError('busy', {
    detail: `${why} Nothing was changed; try again in a moment.`,
    headers: { 'retry-after': '2' },
    cause,
  });
}
