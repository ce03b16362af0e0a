import { ServiceError } from '../../shared/errors.ts';

/** Both ends inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** No optional whitespace around the digits: since those are optional too, matching could take cubic time. */
const RANGE = /^bytes[ \t]*=[ \t]*(\d*)-(\d*)$/i;

/**
 * Parses a Range header and clamps it to the file size (RFC 9110, section 14.1.2). Undefined for no range, several
 * ranges or an unknown unit: the whole file is sent then, as the RFC allows.
 * @throws ServiceError `range_not_satisfiable` when the range starts beyond the end.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, from = '', to = ''] = RANGE.exec((header ?? '').trim()) ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') {
    const length = Math.min(Number(to), size);
    if (length === 0) throw notSatisfiable(size);
    return { start: size - length, end: size - 1 };
  }
  if (to !== '' && Number(to) < Number(from)) return undefined;
  if (Number(from) >= size) throw notSatisfiable(size);
  return { start: Number(from), end: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

function notSatisfiable(size: number): ServiceError {
  return new ServiceError('range_not_satisfiable', {
    detail: `The requested range starts beyond the end of the file (${size} bytes).`,
    headers: { 'content-range': `bytes */${size}`, 'accept-ranges': 'bytes' },
  });
}
