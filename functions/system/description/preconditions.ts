import { matchesTag, namesTag } from '../../shared/entity-tag.ts';
import type { MeshHeaders } from './description.schema.ts';

/** What a representation is known by. */
export interface Validators {
  readonly etag: string;
  /** ms since the epoch. */
  readonly modifiedAt: number;
}

/**
 * Whether the conditions of a request let it through, in the order of RFC 9110, section 13.2.2: 412 and 304 end it.
 */
export function preconditions(headers: MeshHeaders, { etag, modifiedAt }: Validators): 'go on' | 304 | 412 {
  const modified = wholeSeconds(modifiedAt);
  const unmodifiedSince = httpDate(headers['if-unmodified-since']);
  const modifiedSince = httpDate(headers['if-modified-since']);
  if (headers['if-match'] !== undefined) {
    if (!matchesTag(headers['if-match'], [etag])) return 412;
  } else if (unmodifiedSince !== undefined && modified > unmodifiedSince) return 412;
  if (headers['if-none-match'] !== undefined) return namesTag(headers['if-none-match'], etag) ? 304 : 'go on';
  return modifiedSince !== undefined && modified <= modifiedSince ? 304 : 'go on';
}

/**
 * Whether a range request still means this state of the file (RFC 9110, section 13.1.5). A date counts only if the file
 * had rested for a second or more at `now`: two writes within one second have the same date.
 */
export function rangeApplies(ifRange: string | undefined, { etag, modifiedAt }: Validators, now: number): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.trim().startsWith('"')) return ifRange.trim() === etag;
  return httpDate(ifRange) === wholeSeconds(modifiedAt) && now - modifiedAt >= 1000;
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** A date in the form every HTTP message uses today; others are as if they were not there. */
function httpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text.trim()))
    return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
