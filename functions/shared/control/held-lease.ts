import type { Held, Lease, LeaseClaim, LeaseHolder, LeaseWorld } from './lease.ts';

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

/** Whether a lease has this id and was given to this client. */
export function isHeldBy(held: Held | undefined, id: string | undefined, clientId: string): boolean {
  return held !== undefined && held.id === id && held.claim.holder.clientId === clientId;
}

/** When (monotonic) a lease acquired now ends at the latest. */
export function lastMoment({ holder }: LeaseClaim, { monotonic, userMaxMs }: LeaseWorld): number {
  return holder.accessLevel === 'USER' ? monotonic() + userMaxMs : Number.POSITIVE_INFINITY;
}
