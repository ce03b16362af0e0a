import type { AuditEntry, AuditFilter } from './port.ts';

/** True when an entry is among those that are looked for. RFC 3339 times of one form compare as text. */
export function matches(entry: AuditEntry, filter: AuditFilter): boolean {
  if (filter.action !== undefined && entry.action !== filter.action) return false;
  if (filter.client_id !== undefined && entry.client_id !== filter.client_id) return false;
  if (filter.key_id !== undefined && entry.key_id !== filter.key_id) return false;
  if (filter.outcome !== undefined && entry.outcome !== filter.outcome) return false;
  if (filter.since !== undefined && entry.at < filter.since) return false;
  return filter.until === undefined || entry.at <= filter.until;
}
