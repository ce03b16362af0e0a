import { ServiceError } from '../../shared/errors.ts';

/** Looks at the bytes of a file as they arrive, and keeps none of them. */
export interface ContentCheck {
  /** @throws ServiceError `validation_failed`. */
  write(chunk: Buffer): void;
  /** To be called after the last byte. @throws ServiceError `validation_failed`. */
  end(): void;
}

/** What a check throws; `why` is a clause. */
export function invalidContent(why: string): ServiceError {
  return new ServiceError('validation_failed', {
    detail: `The file was not stored: ${why}.`,
    errors: [{ pointer: '', message: why }],
  });
}
