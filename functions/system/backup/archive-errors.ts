import { ServiceError } from '../../shared/errors.ts';

/** Longest part of a name out of an archive that an error repeats. */
const MAX_NAME_CHARS = 100;

/** An archive that cannot be what a robot was packed into; `why` goes on after "The archive", with or without a full stop. */
export function invalidArchive(why: string, cause?: unknown): ServiceError {
  return new ServiceError('archive_invalid', {
    detail: `The archive ${why.replace(/\.$/, '')}. Nothing was changed.`,
    cause,
  });
}

/** A name out of an archive as an error may show it. */
export function shown(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME_CHARS));
}

/** One backup or restore at a time. */
export function underWay(): ServiceError {
  return new ServiceError('busy', {
    detail: 'A backup or a restore of the whole robot is under way. Try again when it is done.',
    headers: { 'retry-after': '5' },
  });
}
