import { ServiceError } from '../../shared/errors.ts';

/** Both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** No white space around the digits: where those may be absent, it would take cubic time to refuse. */
const RANGE = /^bytes[ \t]*=[ \t]*(\d*)-(\d*)$/i;

/**
 * The range a request asks for, cut to the size (RFC 9110, section 14.1.2). Undefined when there is none, when there are
 * several, or when it is none this service knows: the whole is answered then, as the RFC allows.
 * @throws ServiceError `range_not_satisfiable` when it begins behind the end.
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
    detail: `The file has ${size} bytes; the range asked for lies behind them.`,
    headers: { 'content-range': `bytes */${size}`, 'accept-ranges': 'bytes' },
  });
}
