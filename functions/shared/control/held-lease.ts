import type { Held, Lease, LeaseHolder, LeaseWorld } from './lease.ts';

/** One client, and one instance of it. */
export function isSameHolder(one: LeaseHolder, other: LeaseHolder): boolean {
  return one.clientId === other.clientId && one.instance === other.instance;
}

/** The lease as its holder sees it now. */
export function leaseOf(
  { id, claim, generation, since, silentAt, endsAt }: Held,
  { clock, monotonic }: Pick<LeaseWorld, 'clock' | 'monotonic'>,
): Lease {
  const leftMs = Math.min(silentAt, endsAt, monotonic() + claim.ttlMs) - monotonic();
  return { id, holder: claim.holder, ttlMs: claim.ttlMs, generation, since, expiresAt: clock() + leftMs };
}
