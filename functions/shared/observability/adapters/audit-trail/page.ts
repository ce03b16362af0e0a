import type { AuditEntry, AuditFilter, AuditPage } from '../../audit-trail.port.ts';

/** The page of matching entries behind `before`. */
export async function pageOf(newestFirst: AsyncIterable<AuditEntry>, filter: AuditFilter): Promise<AuditPage> {
  const entries: AuditEntry[] = [];
  let behind = filter.before === undefined;
  for await (const entry of newestFirst) {
    if (behind && matches(entry, filter)) entries.push(entry);
    if (entry.id === filter.before) behind = true;
    if (entries.length > filter.limit) {
      const page = entries.slice(0, filter.limit);
      return { entries: page, next: page.at(-1)?.id ?? null };
    }
  }
  return { entries, next: null };
}

/** Both series as one, the newest first. */
export async function* merged(
  one: AsyncGenerator<AuditEntry>,
  other: AsyncGenerator<AuditEntry>,
): AsyncGenerator<AuditEntry> {
  let [left, right] = [await one.next(), await other.next()];
  while (!left.done || !right.done) {
    const takesLeft = right.done || (!left.done && newer(left.value, right.value) >= 0);
    if (takesLeft && !left.done) {
      yield left.value;
      left = await one.next();
    } else if (!right.done) {
      yield right.value;
      right = await other.next();
    }
  }
}

/** Above 0 when `one` is newer. Of one millisecond the higher number is, where one process has counted both. */
function newer(one: AuditEntry, other: AuditEntry): number {
  if (one.at !== other.at) return one.at > other.at ? 1 : -1;
  const [[, process, count = ''], [, otherProcess, otherCount = '']] = [one.id.split('-'), other.id.split('-')];
  return process === otherProcess ? Number.parseInt(count, 36) - Number.parseInt(otherCount, 36) : 0;
}

/**
 * Puts entries in order that were written up to `latenessMs` after their time, as counted ones are. Of one time, the
 * one written last comes first.
 */
export async function* byTime(newestFirst: AsyncIterable<AuditEntry>, latenessMs: number): AsyncGenerator<AuditEntry> {
  const held: AuditEntry[] = [];
  let head = 0; // of a long array it is dear to take the first away, one by one
  for await (const entry of newestFirst) {
    let place = held.length;
    for (let above = held[place - 1]; above && place > head && newer(entry, above) > 0; above = held[place - 1])
      place -= 1;
    held.splice(place, 0, entry);
    // What was written before this one is from before this one was written.
    const latest = new Date(Date.parse(entry.at) + latenessMs).toISOString();
    for (let first = held[head]; first && first.at > latest; first = held[head]) {
      head += 1;
      yield first;
    }
    if (head > 1024 && head > held.length / 2) {
      held.splice(0, head);
      head = 0;
    }
  }
  yield* held.slice(head);
}

/** True when an entry is among those that are looked for. RFC 3339 times of one form compare as text. */
export function matches(entry: AuditEntry, filter: AuditFilter): boolean {
  if (filter.action !== undefined && entry.action !== filter.action) return false;
  if (filter.client_id !== undefined && entry.client_id !== filter.client_id) return false;
  if (filter.key_id !== undefined && entry.key_id !== filter.key_id) return false;
  if (filter.outcome !== undefined && entry.outcome !== filter.outcome) return false;
  if (filter.since !== undefined && entry.at < filter.since) return false;
  return filter.until === undefined || entry.at <= filter.until;
}
