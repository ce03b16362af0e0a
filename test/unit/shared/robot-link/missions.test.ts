import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  MOST_REMEMBERED,
  MOST_UNDER_WAY,
} from '../../../../functions/shared/adapters/robot-link/simulated/missions.ts';
import type { JsonValue } from '../../../../functions/shared/json.ts';
import { asClient, openSimulatedRobot } from '../../../support/robot.ts';

const NOT_FOUND = {
  awaited: false,
  start_result: { started: false, msg: 'Mission not found' },
  msg: 'Mission not found',
};
const FINISHED = { awaited: true, start_result: { started: true, msg: 'Mission started' }, msg: 'Mission finished' };

function world() {
  const robot = openSimulatedRobot(Date.now);
  const alice = asClient(robot, 'alice');
  const bob = asClient(robot, 'bob');
  return { robot, alice, bob };
}

function idOf(called: JsonValue | Promise<JsonValue>): string {
  expect(called).toEqual({ called: true, msg: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  return (called as { msg: string }).msg; // as: just checked
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('A mission of the simulated robot', () => {
  it('is called, starts after a moment, and finishes', async () => {
    const { alice } = world();
    const id = idOf(alice('skill', { name: 'wave' }));
    const started = alice('wait_for_skill_started', id);
    const ended = alice('wait_for_skill', id);
    expect(started).toBeInstanceOf(Promise);
    await jest.advanceTimersByTimeAsync(200);
    expect(await started).toEqual({ started: true, msg: 'Mission started' });
    await jest.advanceTimersByTimeAsync(3_000);
    expect(await ended).toEqual(FINISHED);
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([
    ['a long text', { name: 'say', text: 'x'.repeat(150) }, 10_000],
    ['the shortest text', { name: 'say', text: '' }, 500],
    ['a wait of no given length', { name: 'wait' }, 1_000],
  ])('takes its time: %s', async (_what, value, ms) => {
    const { alice } = world();
    const id = idOf(alice('skill', value));
    let over = false;
    const ended = Promise.resolve(alice('wait_for_skill', id)).then(() => {
      over = true;
    });
    await jest.advanceTimersByTimeAsync(ms);
    expect(over).toBe(false);
    await jest.advanceTimersByTimeAsync(200);
    await ended;
  });

  it('that is over can be waited for exactly once more', async () => {
    const { alice } = world();
    const id = idOf(alice('skill', { name: 'nod' }));
    await jest.advanceTimersByTimeAsync(2_000);
    expect(alice('wait_for_skill_started', id)).toEqual({ started: true, msg: 'Mission started' });
    expect(alice('wait_for_skill', id)).toEqual(FINISHED);
    expect(alice('wait_for_skill', id)).toEqual(NOT_FOUND);
    expect(alice('wait_for_skill_started', id)).toEqual({ started: false, msg: 'Mission not found' });
  });

  it('can be waited for by several at once, and once more afterwards', async () => {
    const { alice, bob } = world();
    const id = idOf(alice('skill', { name: 'nod' }));
    const waits = [alice('wait_for_skill', id), bob('wait_for_skill', id)];
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await Promise.all(waits)).toEqual([FINISHED, FINISHED]);
    expect(bob('wait_for_skill', id)).toEqual(FINISHED);
    expect(bob('wait_for_skill', id)).toEqual(NOT_FOUND);
  });

  it.each(['cancel_skill', 'cancel_and_wait_for_mission'])(
    'is cancelled by %s before and after its start',
    async (cancel) => {
      const { alice } = world();
      const early = idOf(alice('skill', { name: 'dance' }));
      const earlyWaits = [alice('wait_for_skill_started', early), alice('wait_for_skill', early)];
      expect(alice(cancel, early)).toEqual({ cancelled: true, msg: 'Mission cancelled' });
      const neverStarted = { started: false, msg: 'Mission cancelled' };
      expect(await Promise.all(earlyWaits)).toEqual([
        neverStarted,
        { awaited: false, start_result: neverStarted, msg: 'Mission cancelled' },
      ]);

      const late = idOf(alice('skill', { name: 'dance' }));
      const lateWait = alice('wait_for_skill', late);
      await jest.advanceTimersByTimeAsync(1_000);
      expect(alice(cancel, late)).toEqual({ cancelled: true, msg: 'Mission cancelled' });
      expect(await lateWait).toEqual({
        awaited: false,
        start_result: { started: true, msg: 'Mission started' },
        msg: 'Mission cancelled',
      });
      expect(alice(cancel, late)).toEqual({ cancelled: false, msg: 'Mission not found' });
      expect(jest.getTimerCount()).toBe(0);
    },
  );

  it.each([
    ['wait_for_skill', NOT_FOUND],
    ['wait_for_skill_started', { started: false, msg: 'Mission not found' }],
    ['cancel_skill', { cancelled: false, msg: 'Mission not found' }],
    ['cancel_and_wait_for_mission', { cancelled: false, msg: 'Mission not found' }],
  ])('that nobody called is not found by %s', (command, answer) => {
    expect(world().alice(command, 'no-such-mission')).toEqual(answer);
  });

  it('goes on when its waiter leaves, who leaves no listener behind', async () => {
    const { alice } = world();
    const id = idOf(alice('skill', { name: 'wave' }));
    const leaving = new AbortController();
    const waits = [alice('wait_for_skill', id, leaving.signal), alice('wait_for_skill_started', id, leaving.signal)];
    expect(getEventListeners(leaving.signal, 'abort')).toHaveLength(2);
    const reason = new Error('gone');
    leaving.abort(reason);
    const settled = await Promise.allSettled(waits);
    expect(settled).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    expect(getEventListeners(leaving.signal, 'abort')).toHaveLength(0);
    await jest.advanceTimersByTimeAsync(4_000);
    expect(alice('wait_for_skill', id)).toEqual(FINISHED);
  });

  it('leaves no listener behind when it ends in time', async () => {
    const { alice } = world();
    const { signal } = new AbortController();
    const wait = alice('wait_for_skill', idOf(alice('skill', { name: 'nod' })), signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(2_000);
    await wait;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it.each<[string, string, JsonValue]>([
    ['an unknown skill', 'skill', { name: 'fly' }],
    ['no skill', 'skill', {}],
    ['a name of another type', 'skill', { name: 7 }],
    ['a text that is none', 'skill', { name: 'say', text: 5 }],
    ['a wait beyond its limit', 'skill', { name: 'wait', seconds: 601 }],
    ['a wait into the past', 'skill', { name: 'wait', seconds: -1 }],
    ['an empty sequence', 'play_sequence', []],
    ['a sequence with an unknown skill', 'play_sequence', ['wave', 'fly']],
    ['a sequence without an end', 'play_sequence', Array(101).fill('nod')],
  ])('is not called for %s', (_what, command, value) => {
    expect(world().alice(command, value)).toEqual({ called: false, msg: expect.stringMatching(/skill/) });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('of several skills takes as long as all of them', async () => {
    const { alice } = world();
    const wait = alice('wait_for_skill', idOf(alice('play_sequence', ['nod', 'wave'])));
    let over = false;
    void Promise.resolve(wait).then(() => {
      over = true;
    });
    await jest.advanceTimersByTimeAsync(3_900);
    expect(over).toBe(false);
    await jest.advanceTimersByTimeAsync(300);
    expect(over).toBe(true);
  });

  it('can be heard while it sings, and not before or after', async () => {
    const { alice } = world();
    alice('skill', { name: 'sing' });
    expect(alice('is_making_noise')).toBe(false);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(alice('is_making_noise')).toBe(true);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(alice('is_making_noise')).toBe(false);
  });
});

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

  it('all end with stop, and everybody who waits learns it', async () => {
    const { robot, alice, bob } = world();
    const waits = [alice, bob].map((send) => send('wait_for_skill', idOf(send('skill', { name: 'dance' }))));
    expect(robot.stop({ deadline: 0, signal: new AbortController().signal })).toEqual({
      stopped: true,
      cancelled_missions: 2,
    });
    expect(await Promise.all(waits)).toMatchObject([{ awaited: false }, { awaited: false }]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are limited in number, and so is the memory of those that are over', async () => {
    const { alice } = world();
    const ids = Array.from({ length: MOST_UNDER_WAY }, () => idOf(alice('skill', { name: 'nod' })));
    expect(alice('skill', { name: 'nod' })).toEqual({ called: false, msg: expect.stringMatching(/Too many/) });
    await jest.advanceTimersByTimeAsync(2_000);
    const late = idOf(alice('skill', { name: 'nod' }));
    await jest.advanceTimersByTimeAsync(2_000);
    expect(MOST_REMEMBERED).toBe(MOST_UNDER_WAY);
    expect(alice('wait_for_skill', ids[0])).toEqual(NOT_FOUND);
    expect(alice('wait_for_skill', ids[1])).toEqual(FINISHED);
    expect(alice('wait_for_skill', late)).toEqual(FINISHED);
  });
});

describe('When the link goes down', () => {
  it('everything is robot_unavailable at once, those who wait included, and the mission goes on', async () => {
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

  it('by close, no timer is left and those who wait are let go', async () => {
    const { robot, alice } = world();
    const wait = Promise.resolve(alice('wait_for_skill', idOf(alice('skill', { name: 'dance' }))));
    const outcome = wait.catch((error: unknown) => error);
    robot.close();
    expect(jest.getTimerCount()).toBe(0);
    expect(await outcome).toMatchObject({ code: 'robot_unavailable' });
  });
});
