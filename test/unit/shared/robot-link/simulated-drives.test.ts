import { describe, expect, it, jest } from '@jest/globals';
import type { JsonObject } from '../../../../functions/shared/kit/json.ts';
import { Replaced } from '../../../../functions/shared/robot-link/port.ts';
import { useFakeTimers } from '../../../support/fake-timers.ts';
import { FINISHED, NOT_FOUND, world } from '../../../support/missions.ts';

useFakeTimers();

const at = (x: number) => ({ x, y: 0, z: 0, theta: 0 });
const idOf = (called: unknown) => (called as JsonObject).msg as string; // as: how a drive is called
const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;

function scene() {
  const { robot, alice, bob } = world();
  const go = (x: number) =>
    robot.send(
      { command: 'go_to_absolute', value: at(x), sender: SENDER },
      { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal },
    );
  return { robot, alice, bob, go };
}

describe('A drive of the simulated robot', () => {
  it('is a mission that has started at once and finishes on arrival', async () => {
    const { alice } = scene();
    const id = idOf(alice('go_to_absolute', at(1)));
    expect(alice('wait_for_skill_started', id)).toEqual({ started: true, msg: 'Mission started' });
    const ended = alice('wait_for_skill', id);
    await jest.advanceTimersByTimeAsync(1_900);
    expect(alice('get_pose')).toMatchObject({ moving: true });
    await jest.advanceTimersByTimeAsync(200);
    expect(await ended).toEqual(FINISHED);
    expect(alice('get_pose')).toMatchObject({ x: 1, moving: false });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is over at once where the robot stands already', () => {
    const { alice } = scene();
    const id = idOf(alice('go_to_absolute', at(0)));
    expect([alice('wait_for_skill', id), alice('wait_for_skill', id)]).toEqual([FINISHED, NOT_FOUND]);
  });

  it('cancels the drive under way, whose waits end, and says so', async () => {
    const { alice, go } = scene();
    const first = alice('go_to_absolute', at(10));
    const waiting = alice('wait_for_skill', idOf(first));
    await jest.advanceTimersByTimeAsync(1_000);
    const second = go(0);
    expect(second).toBeInstanceOf(Replaced);
    expect(await waiting).toMatchObject({ awaited: false, msg: 'Mission cancelled' });
    await jest.advanceTimersByTimeAsync(5_000);
    expect(alice('get_pose')).toMatchObject({ x: 0, moving: false });
    expect(go(1)).not.toBeInstanceOf(Replaced);
  });

  it('leaves the drive under way alone when it is declined', async () => {
    const { alice, go } = scene();
    const id = idOf(go(1));
    expect(go(5_000)).toMatchObject({ called: false });
    const ended = alice('wait_for_skill', id);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(await ended).toEqual(FINISHED);
  });

  it('leaves missions alone, and they leave it alone', async () => {
    const { alice, go } = scene();
    const wave = idOf(alice('skill', { name: 'wave' }));
    const drive = idOf(go(1));
    const waits = [alice('wait_for_skill', wave), alice('wait_for_skill', drive)];
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await Promise.all(waits)).toEqual([FINISHED, FINISHED]);
  });

  it('is cancelled like any mission, and the robot stands', async () => {
    const { alice, go } = scene();
    const id = idOf(go(10));
    await jest.advanceTimersByTimeAsync(2_000);
    expect(alice('cancel_skill', id)).toEqual({ cancelled: true, msg: 'Mission cancelled' });
    await jest.advanceTimersByTimeAsync(2_000);
    expect(alice('get_pose')).toMatchObject({ x: 1, moving: false });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('counts among the missions that a stop has ended', async () => {
    const { robot, go } = scene();
    go(10);
    const options = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    expect(await robot.stop(options)).toEqual({ stopped: true, cancelled_missions: 1 });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('waits while the maximum velocity is 0, and arrives later when it is raised', async () => {
    const { alice, go } = scene();
    const ended = alice('wait_for_skill', idOf(go(1)));
    await jest.advanceTimersByTimeAsync(1_000);
    alice('set_robot_max_velocity', 0);
    await jest.advanceTimersByTimeAsync(100_000);
    expect(alice('get_pose')).toMatchObject({ x: 0.5, moving: false });
    alice('set_robot_max_velocity', 100);
    await jest.advanceTimersByTimeAsync(600);
    expect(await ended).toEqual(FINISHED);
  });
});
