import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { arrivalStamp } from '../../../../functions/shared/control/fence.ts';
import type { LeaseRegister } from '../../../../functions/shared/control/lease-register.ts';
import { useFakeTimers } from '../../../support/fake-timers.ts';
import { ANNA, BEN, LeasedRobot, motion, TTL_MS } from '../../../support/leased-robot.ts';

describe('The lease of a silent holder', () => {
  let robot: LeasedRobot;
  let leases: LeaseRegister;
  const pass = useFakeTimers();

  beforeEach(() => {
    robot = new LeasedRobot();
    leases = robot.open();
  });

  it('lapses: its id is dead, and the motion that it began is stopped', async () => {
    const { id } = leases.acquire(ANNA);
    leases.admit(motion('anna', id));
    await pass(TTL_MS + 100);
    expect(leases.status().state).toBe('stale');
    expect(robot.stops).toHaveLength(1);
    expect(() => leases.admit(motion('anna', id))).toThrow(expect.objectContaining({ code: 'lease_lost' }));
  });

  it('is kept by a keep-alive in its last millisecond, again and again', async () => {
    const { id } = leases.acquire(ANNA);
    leases.admit(motion('anna', id));
    for (let time = 0; time < 5; time += 1) {
      await pass(TTL_MS - 1);
      expect(leases.keep(id, 'anna').id).toBe(id);
    }
    expect(robot.stops).toHaveLength(0);
    await pass(TTL_MS + 100);
    expect(leases.status().state).toBe('stale');
    expect(robot.stops).toHaveLength(1);
  });

  it('stops nothing if it began no motion, or only what outlives it, or if that was stopped since', async () => {
    leases.acquire(ANNA);
    await pass(TTL_MS + 100);
    const second = leases.acquire(ANNA);
    leases.admit({ ...motion('anna', second.id), outlivesLease: true });
    await pass(TTL_MS + 100);
    const third = leases.acquire(ANNA);
    leases.admit(motion('anna', third.id));
    leases.stopConfirmed(arrivalStamp());
    await pass(TTL_MS + 100);
    expect(leases.status().state).toBe('stale');
    expect(robot.stops).toHaveLength(0);
  });

  it('is revived by a keep-alive under a new id, until somebody acquires it', async () => {
    const { id, generation } = leases.acquire(ANNA);
    await pass(TTL_MS + 100);
    const revived = leases.keep(id, 'anna');
    expect(revived.id).not.toBe(id);
    expect(revived.generation).toBeGreaterThan(generation);
    expect(() => leases.keep(id, 'anna')).toThrow(expect.objectContaining({ code: 'lease_lost' }));
    await pass(TTL_MS + 100);
    leases.acquire(BEN);
    expect(() => leases.keep(revived.id, 'anna')).toThrow(
      expect.objectContaining({
        code: 'lease_lost',
        members: expect.objectContaining({ holder: expect.objectContaining({ username: 'ben' }) }),
      }),
    );
  });

  it('refuses motion of everybody until its stop is confirmed, and can be acquired meanwhile', async () => {
    robot.confirmsAtOnce = false;
    const { id } = leases.acquire(ANNA);
    leases.admit(motion('anna', id));
    await pass(TTL_MS + 100);
    expect(() => leases.admit(motion('cleo'))).toThrow(expect.objectContaining({ code: 'busy' }));
    const mine = leases.acquire(BEN);
    expect(() => leases.admit(motion('ben', mine.id))).toThrow(expect.objectContaining({ code: 'busy' }));
    robot.stops[0]?.confirm();
    expect(() => leases.admit(motion('ben', mine.id))).not.toThrow();
  });

  it('repeats its stop until the robot confirms one', async () => {
    robot.confirmsAtOnce = false;
    const { id } = leases.acquire({ ...ANNA, ttlMs: 500 });
    leases.admit(motion('anna', id));
    await pass(600);
    robot.stops[0]?.fail();
    await pass(300);
    expect(robot.stops).toHaveLength(2);
    robot.stops[1]?.confirm();
    await pass(10_000);
    expect(robot.stops).toHaveLength(2);
  });

  it('takes no confirmation of a stop that had begun before it lapsed', async () => {
    robot.confirmsAtOnce = false;
    const { id } = leases.acquire(ANNA);
    const begunBefore = arrivalStamp();
    leases.admit(motion('anna', id));
    await pass(TTL_MS + 100);
    leases.stopConfirmed(begunBefore);
    expect(() => leases.admit(motion('cleo'))).toThrow(expect.objectContaining({ code: 'busy' }));
    leases.stopConfirmed(arrivalStamp());
    expect(() => leases.admit(motion('cleo'))).not.toThrow();
  });

  it('is judged after what arrived while the service was held up', async () => {
    const { id } = leases.acquire(ANNA);
    leases.admit(motion('anna', id));
    const held = performance.now() + TTL_MS + 500;
    jest.setSystemTime(Date.now() + TTL_MS + 500);
    const now = jest.spyOn(performance, 'now').mockImplementation(() => held);
    await pass(TTL_MS); // the timer fires 500 ms late
    // That may have been sent long ago, by somebody who is gone.
    expect(() => leases.admit(motion('anna', id))).toThrow(expect.objectContaining({ code: 'busy' }));
    leases.keep(id, 'anna');
    expect(() => leases.admit(motion('anna', id))).not.toThrow();
    await pass(100);
    now.mockRestore();
    expect(leases.status().state).toBe('fresh');
    expect(robot.stops).toHaveLength(0);
  });
});
