import { beforeEach, describe, expect, it } from '@jest/globals';
import { arrivalStamp } from '../../../../functions/shared/control/fence.ts';
import type { LeaseRegister } from '../../../../functions/shared/control/lease-register.ts';
import { useFakeTimers } from '../../../support/fake-timers.ts';
import { ANNA, BEN, holder, LeasedRobot, motion, TTL_MS } from '../../../support/leased-robot.ts';

describe('The lease', () => {
  let robot: LeasedRobot;
  let leases: LeaseRegister;
  const pass = useFakeTimers();

  beforeEach(() => {
    robot = new LeasedRobot();
    leases = robot.open();
  });

  describe('while it is fresh', () => {
    it('lets nobody else acquire it, and says who holds it', () => {
      leases.acquire(ANNA);
      expect(() => leases.acquire(BEN)).toThrow(
        expect.objectContaining({
          code: 'lease_held',
          members: expect.objectContaining({ holder: expect.objectContaining({ username: 'anna', client: 'anna' }) }),
        }),
      );
      expect(() => leases.acquire({ ...ANNA, holder: holder('anna', { instance: 'another-tab' }) })).toThrow(
        expect.objectContaining({ code: 'lease_held' }),
      );
    });

    it('is given to its holder again, with new terms and without raising the fence', () => {
      const first = leases.acquire(ANNA);
      const number = robot.fence.read();
      const again = leases.acquire({ ...ANNA, ttlMs: 5_000 });
      expect(again).toMatchObject({ id: first.id, generation: first.generation, ttlMs: 5_000 });
      expect(robot.fence.read()).toBe(number);
    });

    it('lets only its holder move the robot, and only with its id', () => {
      const { id } = leases.acquire(ANNA);
      expect(() => leases.admit(motion('anna', id))).not.toThrow();
      for (const command of [motion('anna'), motion('ben'), motion('ben', id)]) {
        expect(() => leases.admit(command)).toThrow(expect.objectContaining({ code: 'lease_held' }));
      }
      expect(() => leases.admit(motion('ben', 'unknown'))).toThrow(expect.objectContaining({ code: 'lease_lost' }));
    });

    it('can be lent to a run, which moves the robot under it without naming or keeping it', async () => {
      const { id } = leases.acquire(ANNA);
      const returnLease = leases.loans.lend(id, 'run');
      expect(() => leases.admit(motion('run'))).not.toThrow();
      await pass(TTL_MS - 100);
      leases.admit(motion('run'));
      await pass(200);
      expect([leases.status().state, robot.stops.length]).toEqual(['stale', 1]);
      expect(() => leases.admit(motion('run'))).toThrow(expect.objectContaining({ code: 'lease_lost' }));
      returnLease();
      const next = leases.acquire(BEN);
      leases.stopConfirmed(arrivalStamp());
      expect(() => leases.admit(motion('run', next.id))).toThrow(expect.objectContaining({ code: 'lease_held' }));
    });

    it('lets everybody do what moves nothing', () => {
      leases.acquire(ANNA);
      expect(() => leases.admit({ ...motion('ben', 'unknown'), motion: false })).not.toThrow();
    });

    it('is kept by keep-alives and by every command of its holder', async () => {
      const { id } = leases.acquire(ANNA);
      await pass(1_500);
      leases.keep(id, 'anna');
      await pass(1_500);
      leases.admit({ ...motion('anna', id), motion: false });
      await pass(1_500);
      leases.admit(motion('anna', id));
      await pass(1_500);
      expect(leases.status().state).toBe('fresh');
    });

    it('is not kept by a command of another client, or without its id', async () => {
      const { id } = leases.acquire(ANNA);
      await pass(1_500);
      leases.admit({ ...motion('ben', id), motion: false });
      leases.admit({ ...motion('anna'), motion: false });
      await pass(600);
      expect(leases.status().state).toBe('stale');
    });

    it('is returned by its holder as often as they like, and by nobody else', () => {
      const { id } = leases.acquire(ANNA);
      expect(() => leases.release(id, 'ben')).toThrow(expect.objectContaining({ code: 'lease_lost' }));
      leases.release(id, 'anna');
      leases.release(id, 'anna');
      expect(leases.status()).toMatchObject({ state: 'free', holder: null });
      expect(() => leases.keep(id, 'anna')).toThrow(expect.objectContaining({ code: 'lease_lost' }));
      expect(robot.stops).toHaveLength(0);
    });
  });

  it('of a USER ends after its longest time, however often it is kept', async () => {
    const claim = { holder: holder('anna', { accessLevel: 'USER' }), ttlMs: 60_000 };
    const { id } = leases.acquire(claim);
    for (let minute = 0; minute < 60; minute += 0.5) {
      await pass(30_000);
      if (leases.status().state === 'fresh') leases.keep(id, 'anna');
    }
    await pass(100);
    expect(leases.status().state).toBe('stale');
    expect(() => leases.keep(id, 'anna')).toThrow(expect.objectContaining({ code: 'lease_lost' }));
    expect(leases.acquire(claim).id).not.toBe(id);
  });

  describe('that is taken', () => {
    it('puts its holder out at once and stops the robot', async () => {
      const { id } = leases.acquire(ANNA);
      const { lease, confirmed } = leases.take(BEN, 5_000);
      expect(() => leases.admit(motion('anna', id))).toThrow(expect.objectContaining({ code: 'lease_lost' }));
      expect(robot.stops).toHaveLength(1);
      expect(await confirmed).toBe(true);
      expect(() => leases.admit(motion('ben', lease.id))).not.toThrow();
    });

    it('reports that the robot has not confirmed, and lasts from then on', async () => {
      robot.confirmsAtOnce = false;
      const { lease, confirmed } = leases.take(BEN, 5_000);
      await pass(5_000);
      expect(await confirmed).toBe(false);
      await pass(TTL_MS - 100);
      expect(leases.find(lease.id).id).toBe(lease.id);
      expect(() => leases.admit(motion('ben', lease.id))).toThrow(expect.objectContaining({ code: 'busy' }));
      await pass(TTL_MS + 100);
      expect(() => leases.find(lease.id)).toThrow(expect.objectContaining({ code: 'lease_lost' }));
    });
  });

  it('raises the fence with every change, so that what waits is refused by who holds it then', async () => {
    const waiting = arrivalStamp();
    const { id } = leases.acquire(ANNA);
    expect(() => robot.fence.admit(waiting)).toThrow(expect.objectContaining({ code: 'lease_held' }));
    const late = arrivalStamp();
    robot.fence.admit(late);
    leases.release(id, 'anna');
    expect(() => robot.fence.admit(late)).toThrow(expect.objectContaining({ code: 'lease_lost' }));
    const number = robot.fence.read();
    leases.acquire(BEN);
    await pass(TTL_MS + 100);
    expect(robot.fence.read()).toBe(number + 2);
  });

  it('is needed by everybody where the service requires it', () => {
    const strict = robot.open(true);
    expect(() => strict.admit(motion('anna'))).toThrow(expect.objectContaining({ code: 'lease_required' }));
    const { id } = strict.acquire(ANNA);
    expect(() => strict.admit(motion('anna', id))).not.toThrow();
  });

  it('lapses before the service ends', async () => {
    const { id } = leases.acquire(ANNA);
    leases.admit(motion('anna', id));
    await leases.close(2_000);
    expect(robot.stops).toHaveLength(1);
    expect(leases.status().state).toBe('stale');
  });
});
