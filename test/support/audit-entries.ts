import { type AuditEntry, stamp } from '../../functions/shared/observability/audit-trail.port.ts';

/** Anything that can be read page by page. */
interface Readable {
  read(query: { limit: number; before?: string | undefined }): Promise<{ entries: AuditEntry[]; next: string | null }>;
}

/** An entry written at `now` (ms since the epoch): a stop by client-1 unless changed. */
export function auditEntry(now: number, changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...stamp(now),
    action: 'command',
    subject: { command: 'stop' },
    client_id: 'client-1',
    key_id: 'key-1',
    key_name: 'laptop',
    address: '192.0.2.1',
    listener: 'tcp',
    outcome: 'ok',
    request_id: 'request-1',
    ...changes,
  };
}

/** All entries of a trail, read in pages of `limit`. */
export async function readInPages(trail: Readable, limit: number): Promise<AuditEntry[]> {
  const seen: AuditEntry[] = [];
  let before: string | undefined;
  do {
    const page = await trail.read({ limit, before });
    seen.push(...page.entries);
    before = page.next ?? undefined;
  } while (before !== undefined);
  return seen;
}
