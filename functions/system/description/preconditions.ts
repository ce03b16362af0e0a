import { matchesTag, namesTag } from '../../shared/pipeline/entity-tag.ts';
import type { MeshHeaders } from './description.schema.ts';

/** RFC 9110, section 8.8. */
interface Validators {
  readonly etag: string;
  /** ms since the epoch. */
  readonly modifiedAt: number;
}

/**
 * Evaluates the conditional headers of a request in the order of RFC 9110, section 13.2.2.
 * @returns the status to respond with, or undefined to proceed.
 */
export function preconditions(headers: MeshHeaders, { etag, modifiedAt }: Validators): 304 | 412 | undefined {
  const modified = wholeSeconds(modifiedAt);
  const unmodifiedSince = httpDate(headers['if-unmodified-since']);
  const modifiedSince = httpDate(headers['if-modified-since']);
  if (headers['if-match'] !== undefined) {
    if (!matchesTag(headers['if-match'], [etag])) return 412;
  } else if (unmodifiedSince !== undefined && modified > unmodifiedSince) return 412;
  if (headers['if-none-match'] !== undefined) return namesTag(headers['if-none-match'], etag) ? 304 : undefined;
  return modifiedSince !== undefined && modified <= modifiedSince ? 304 : undefined;
}

/**
 * Whether If-Range matches the current state of the file (RFC 9110, section 13.1.5). A date only matches if the file
 * has not been modified within the last second, because two writes within one second have the same date.
 */
export function rangeApplies(ifRange: string | undefined, { etag, modifiedAt }: Validators, now: number): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.trim().startsWith('"')) return ifRange.trim() === etag;
  return httpDate(ifRange) === wholeSeconds(modifiedAt) && now - modifiedAt >= 1000;
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** Parses an IMF-fixdate; obsolete formats are ignored. */
function httpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text.trim()))
    return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
