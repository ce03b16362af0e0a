import { randomBytes } from 'node:crypto';
import { arrivalStamp } from './fence.ts';
import { isHeldBy, isSameHolder, lastMoment, leaseOf } from './held-lease.ts';
import type { LeaseStanding } from './lease.schema.ts';
import type { Held, Lease, LeaseChange, LeaseClaim, LeasedCommand, LeaseWorld } from './lease.ts';
import {
  heldUp,
  jogNeedsLease,
  leaseChanged,
  leaseHeld,
  leaseLost,
  leaseRequired,
  publicHolder,
  stopUnconfirmed,
} from './lease-errors.ts';
import { LeaseExpiry } from './lease-expiry.ts';
import { LeaseLoans } from './lease-loans.ts';
import { type StopNow, StopUntilConfirmed } from './stop-until-confirmed.ts';

/**
 * Keeps who controls the robot. There is at most one fresh lease. It becomes stale when its holder is silent, and its id
 * is then invalid, so that delayed commands move nothing. Until somebody else acquires it, the holder may revive it under
 * a new id. Every change raises the fence. (Leases and takeovers are modelled on those of Boston Dynamics' Spot.)
 */
export class LeaseRegister {
  readonly #world: LeaseWorld;
  readonly #stop: StopUntilConfirmed;
  readonly #expiry: LeaseExpiry;
  readonly loans = new LeaseLoans();
  #held: Held | undefined;
  #returned: { readonly id: string; readonly clientId: string } | undefined;
  #lastGeneration: number | undefined;
  #changedAt: number;

  constructor(world: LeaseWorld) {
    this.#world = world;
    this.#changedAt = world.clock();
    this.#stop = new StopUntilConfirmed(world.logger);
    this.#expiry = new LeaseExpiry(world.monotonic, () => this.#judge());
  }

  /** Sets how to stop the robot. */
  controls(stop: StopNow): void {
    this.#stop.by(stop);
  }

  /** Until when (monotonic) motion continues that ends with the lease; undefined if there is none. */
  motionUntil(): number | undefined {
    if (this.#stop.pending) return this.#world.monotonic();
    const held = this.#fresh();
    return held?.movedAt === undefined ? undefined : Math.min(held.silentAt, held.endsAt);
  }

  /** The public state of the lease. */
  status(): LeaseStanding {
    const held = this.#held;
    return {
      state: held === undefined ? 'free' : held.fresh ? 'fresh' : 'stale',
      holder: held ? publicHolder(this.#seen(held)) : null,
      since: new Date(this.#changedAt).toISOString(),
      generation: this.#lastGeneration ?? null,
    };
  }

  /**
   * Grants the lease to a client unless another client holds a fresh one. The holder of a fresh lease keeps it, with the
   * new terms. Motion in progress continues.
   * @throws ServiceError `lease_held`.
   */
  acquire(claim: LeaseClaim): Lease {
    const held = this.#fresh();
    if (!held) return this.#seen(this.#give('acquired', claim));
    if (!isSameHolder(claim.holder, held.claim.holder)) throw leaseHeld(this.#seen(held));
    held.claim = claim;
    held.endsAt = lastMoment(claim, this.#world);
    this.#keep(held);
    return this.#seen(held);
  }

  /**
   * Keeps a lease fresh. A stale lease that nobody has acquired since is revived under a new id.
   * @throws ServiceError `lease_lost` for any other id or client.
   */
  keep(id: string, clientId: string): Lease {
    const held = this.#held;
    if (held?.id !== id || held.claim.holder.clientId !== clientId) throw this.#lost(clientId);
    if (held.fresh) {
      this.#keep(held);
      return this.#seen(held);
    }
    if (this.#world.monotonic() >= held.endsAt) throw this.#lost();
    return this.#seen(this.#give('revived', held.claim, held.endsAt));
  }

  /**
   * Returns a lease; motion started under it continues. Returning it again has no effect.
   * @throws ServiceError `lease_lost` for any other id or client.
   */
  release(id: string, clientId: string): void {
    if (this.#returned?.id === id && this.#returned.clientId === clientId) return;
    const held = this.#held;
    if (held?.id !== id || held.claim.holder.clientId !== clientId) throw this.#lost(clientId);
    if (held.fresh) this.#raiseFence();
    this.#held = undefined;
    this.#returned = { id, clientId };
    this.#tell('released', held);
  }

  /**
   * Takes the lease from its holder and stops the robot. The former holder is locked out when this returns. `confirmed`
   * resolves to whether the robot has confirmed the stop within `waitMs`; the time to live of the lease starts then.
   */
  take(claim: LeaseClaim, waitMs: number): { readonly lease: Lease; readonly confirmed: Promise<boolean> } {
    const held = this.#give('taken', claim);
    held.silentAt = Number.POSITIVE_INFINITY;
    this.#stop.begin();
    const confirmed = this.#stop.within(waitMs);
    const kept = confirmed.finally(() => {
      if (this.#held === held && held.fresh) this.#keep(held);
    });
    return { lease: this.#seen(held), confirmed: kept };
  }

  /** Returns the fresh lease with this id. @throws ServiceError `lease_lost`. */
  find(id: string): Lease {
    const held = this.#fresh();
    if (held?.id !== id) throw this.#lost();
    return this.#seen(held);
  }

  /**
   * Checks a command that is about to be sent. Every command of the holder keeps the lease.
   * @throws ServiceError for motion only: `lease_held`, `lease_lost`, `lease_required`, and `busy` after a stall or while
   * the stop of a lapse or takeover is not confirmed. All with `command_ran: "no"`.
   */
  admit({ lease, clientId, motion, outlivesLease }: LeasedCommand): void {
    const held = this.#fresh();
    const id = lease ?? this.loans.of(clientId);
    const owns = isHeldBy(held, id, clientId);
    const isHolder = held !== undefined && (owns || (held.id === id && id === this.loans.of(clientId)));
    if (isHolder && motion && this.#world.monotonic() > held.silentAt) throw heldUp();
    if (held && owns) this.#keep(held);
    if (!motion) return;
    if (held && !isHolder && (id === undefined || id === held.id)) throw leaseHeld(this.#seen(held), clientId);
    if (id !== undefined && !isHolder) throw this.#lost(clientId);
    if (!held && this.#world.required) throw leaseRequired();
    if (this.#stop.pending) throw stopUnconfirmed();
    if (!held || outlivesLease) return;
    held.movedAt = arrivalStamp();
    this.#world.onMotion?.();
  }

  /**
   * Returns the lease under which a client sends a jog frame, without keeping it.
   * @throws ServiceError `lease_held`, `lease_lost`, `lease_required`.
   */
  holding(id: string | undefined, clientId: string): Pick<Held, 'id' | 'generation' | 'givenAt'> {
    const held = this.#fresh();
    if (held && held.id === id && held.claim.holder.clientId === clientId) return held;
    if (held && (id === undefined || id === held.id)) throw leaseHeld(this.#seen(held), clientId);
    throw id === undefined ? jogNeedsLease() : this.#lost(clientId);
  }

  /** Records that the robot has confirmed a stop begun at this `arrivalStamp`. */
  stopConfirmed(begunAt: number): void {
    const held = this.#held;
    if (held?.movedAt !== undefined && held.movedAt < begunAt) held.movedAt = undefined;
    this.#stop.confirm(begunAt);
  }

  /** Lets a fresh lease lapse. Resolves when the motion started under it has ended, or after `waitMs`. */
  async close(waitMs: number): Promise<void> {
    if (this.#fresh()) this.#lapse('the service ends');
    await this.#stop.within(waitMs);
    this.#stop.close();
    this.#expiry.at(Number.POSITIVE_INFINITY);
  }

  #fresh(): Held | undefined {
    return this.#held?.fresh ? this.#held : undefined;
  }

  #give(change: LeaseChange, claim: LeaseClaim, endsAt = lastMoment(claim, this.#world)): Held {
    const held: Held = {
      id: randomBytes(16).toString('base64url'),
      claim,
      generation: this.#raiseFence(),
      givenAt: arrivalStamp(),
      since: this.#world.clock(),
      fresh: true,
      silentAt: this.#world.monotonic(),
      endsAt,
      movedAt: undefined,
    };
    this.#held = held;
    this.#lastGeneration = held.generation;
    this.#keep(held);
    this.#tell(change, held);
    return held;
  }

  #keep(held: Held): void {
    held.silentAt = this.#world.monotonic() + held.claim.ttlMs;
    this.#expiry.at(Math.min(held.silentAt, held.endsAt));
  }

  #judge(): void {
    const held = this.#fresh();
    if (!held) return;
    const now = this.#world.monotonic();
    if (now >= held.endsAt) this.#lapse('its longest time is over');
    else if (now >= held.silentAt) this.#lapse('its holder is silent');
    else this.#expiry.at(Math.min(held.silentAt, held.endsAt));
  }

  /** Ends the lease, and stops the robot if motion was started under it. */
  #lapse(why: string): void {
    const held = this.#fresh();
    if (!held) return;
    held.fresh = false;
    this.#raiseFence();
    this.#tell('lapsed', held);
    const stops = held.movedAt !== undefined;
    this.#world.logger.warn({ client_id: held.claim.holder.clientId, why, stops }, 'the lease on the robot has lapsed');
    if (stops) this.#stop.begin();
  }

  #tell(change: LeaseChange, { claim }: Held): void {
    this.#changedAt = this.#world.clock();
    this.#world.onChange?.(change, this.status(), claim.holder);
  }

  /** Waiting commands are refused according to who holds the lease by then. */
  #raiseFence(): number {
    return this.#world.fence.raiseForLease(() => {
      const held = this.#fresh();
      return held ? leaseHeld(this.#seen(held)) : leaseChanged();
    });
  }

  #lost(clientId?: string) {
    const held = this.#fresh();
    return leaseLost(held && this.#seen(held), clientId);
  }

  #seen(held: Held): Lease {
    return leaseOf(held, this.#world);
  }
}
