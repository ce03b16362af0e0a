import { arrivalStamp, Fence } from '../../functions/shared/control/fence.ts';
import type { JogWorld } from '../../functions/shared/control/jog.ts';
import { JogController } from '../../functions/shared/control/jog-controller.ts';
import type { LeasedCommand, LeaseHolder } from '../../functions/shared/control/lease.ts';
import { LeaseRegister } from '../../functions/shared/control/lease-register.ts';
import { silentLogger } from './world.ts';

export const TTL_MS = 2_000;
const USER_MAX_MS = 3_600_000;

export const holder = (clientId: string, more: Partial<LeaseHolder> = {}): LeaseHolder => ({
  clientId,
  keyId: 'k1',
  instance: `tab-of-${clientId}`,
  accessLevel: 'ADMIN',
  username: clientId,
  keyName: 'key',
  ...more,
});
export const ANNA = { holder: holder('anna'), ttlMs: TTL_MS };
export const BEN = { holder: holder('ben'), ttlMs: TTL_MS };

/** Drives the robot of a register by hand. */
export function jogsOf(leases: LeaseRegister, fence: Fence, more: Partial<JogWorld> = {}): JogController {
  return new JogController({
    leases,
    fence,
    logger: silentLogger,
    monotonic: () => performance.now(),
    maxLinear: 0.25,
    maxAngular: 0.5,
    ...more,
  });
}

/** A robot that confirms its stops, or does not. */
export class LeasedRobot {
  readonly stops: Array<{ begunAt: number; confirm: () => void; fail: () => void }> = [];
  confirmsAtOnce = true;
  readonly fence = new Fence();

  open(required = false): LeaseRegister {
    const register = new LeaseRegister({
      fence: this.fence,
      logger: silentLogger,
      clock: Date.now,
      monotonic: () => performance.now(),
      required,
      userMaxMs: USER_MAX_MS,
    });
    register.controls(() => this.#stop(register));
    return register;
  }

  #stop(register: LeaseRegister): Promise<void> {
    this.fence.raise();
    const begunAt = arrivalStamp();
    return new Promise((resolve, reject) => {
      const confirm = () => {
        register.stopConfirmed(begunAt);
        resolve();
      };
      this.stops.push({ begunAt, confirm, fail: () => reject(new Error('not confirmed')) });
      if (this.confirmsAtOnce) confirm();
    });
  }
}

export const motion = (clientId: string, lease?: string): LeasedCommand => ({
  lease,
  clientId,
  motion: true,
  outlivesLease: false,
});
