import { matches } from './filter.ts';
import type { AuditEntry, AuditFilter, AuditPage } from './port.ts';

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
    const takesLeft = right.done || (!left.done && left.value.at >= right.value.at);
    if (takesLeft && !left.done) {
      yield left.value;
      left = await one.next();
    } else if (!right.done) {
      yield right.value;
      right = await other.next();
    }
  }
}

/**
 * Puts entries in order that were written up to `latenessMs` after their time, as counted ones are. Of one time, the one
 * written last comes first.
 */
export async function* byTime(newestFirst: AsyncIterable<AuditEntry>, latenessMs: number): AsyncGenerator<AuditEntry> {
  const held: AuditEntry[] = [];
  let head = 0; // of a long array it is dear to take the first away, one by one
  for await (const entry of newestFirst) {
    let place = held.length;
    while (place > head && (held[place - 1]?.at ?? '') < entry.at) place -= 1;
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
