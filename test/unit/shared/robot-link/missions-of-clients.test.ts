import { describe, expect, it, jest } from '@jest/globals';
import { MAX_REMEMBERED, MAX_UNDER_WAY } from '../../../../functions/shared/robot-link/adapters/mission-book.ts';
import { useFakeTimers } from '../../../support/fake-timers.ts';
import { FINISHED, idOf, NOT_FOUND, world } from '../../../support/missions.ts';

useFakeTimers();

describe('Missions of several clients', () => {
  it('run side by side, and a client cancels its own', async () => {
    const { alice, bob } = world();
    const [one, two, other] = [
      alice('skill', { name: 'dance' }),
      alice('play_sequence', ['dance']),
      bob('skill', { name: 'dance' }),
    ].map(idOf);
    await jest.advanceTimersByTimeAsync(1_000);
    const waits = [one, two].map((id) => alice('wait_for_skill', id));
    expect(alice('cancel_client_missions')).toMatchObject({ cancelled: true, cancelled_missions: 2 });
    expect(await Promise.all(waits)).toMatchObject([{ awaited: false }, { awaited: false }]);
    expect(alice('cancel_client_missions')).toMatchObject({ cancelled: false, cancelled_missions: 0 });
    const wait = bob('wait_for_skill', other);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(await wait).toEqual(FINISHED);
  });

  it('all end with a stop, and every waiter is told', async () => {
    const { robot, alice, bob } = world();
    const waits = [alice, bob].map((send) => send('wait_for_skill', idOf(send('skill', { name: 'dance' }))));
    expect(robot.stop({ deadline: 0, signal: new AbortController().signal })).toEqual({
      stopped: true,
      cancelled_missions: 2,
    });
    expect(await Promise.all(waits)).toMatchObject([{ awaited: false }, { awaited: false }]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are limited in number, as are the remembered ones', async () => {
    const { alice, bob } = world();
    const share = MAX_UNDER_WAY / 2;
    const ids = Array.from({ length: share }, () => idOf(alice('skill', { name: 'nod' })));
    expect(() => alice('skill', { name: 'nod' })).toThrow(/500 missions of this key are under way/);
    for (let count = 0; count < share / 2; count += 1) bob('skill', { name: 'nod' });
    expect(() => bob('skill', { name: 'nod' })).toThrow(/250 missions of this key are under way/);
    await jest.advanceTimersByTimeAsync(2_000);
    for (let count = 0; count < share / 2; count += 1) alice('skill', { name: 'nod' });
    const late = idOf(alice('skill', { name: 'nod' }));
    await jest.advanceTimersByTimeAsync(2_000);
    expect(MAX_REMEMBERED).toBe(MAX_UNDER_WAY);
    expect(alice('wait_for_skill', ids[0])).toEqual(NOT_FOUND);
    expect(alice('wait_for_skill', ids[1])).toEqual(FINISHED);
    expect(alice('wait_for_skill', late)).toEqual(FINISHED);
  });
});

describe('A simulated link that goes down', () => {
  it('fails requests and waiters with robot_unavailable while the mission continues', async () => {
    const { robot, alice } = world();
    const id = idOf(alice('skill', { name: 'nod' }));
    const wait = Promise.resolve(alice('wait_for_skill', id)).catch((error: unknown) => error);
    robot.setConnected(false);
    expect(robot.connected()).toBe(false);
    expect(await wait).toMatchObject({ code: 'robot_unavailable' });
    expect(() => alice('get_pose')).toThrow(expect.objectContaining({ code: 'robot_unavailable' }));
    expect(() => robot.stop({ deadline: 0, signal: new AbortController().signal })).toThrow(
      expect.objectContaining({ code: 'robot_unavailable' }),
    );
    await jest.advanceTimersByTimeAsync(2_000);
    robot.setConnected(true);
    expect(alice('wait_for_skill', id)).toEqual(FINISHED);
  });

  it('by close leaves no timer and releases its waiters', async () => {
    const { robot, alice } = world();
    const wait = Promise.resolve(alice('wait_for_skill', idOf(alice('skill', { name: 'dance' }))));
    const outcome = wait.catch((error: unknown) => error);
    robot.close();
    expect(jest.getTimerCount()).toBe(0);
    expect(await outcome).toMatchObject({ code: 'robot_unavailable' });
  });
});
