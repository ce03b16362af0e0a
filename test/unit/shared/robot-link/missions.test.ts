import { getEventListeners } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import type { JsonValue } from '../../../../functions/shared/kit/json.ts';
import { useFakeTimers } from '../../../support/fake-timers.ts';
import { FINISHED, idOf, NOT_FOUND, world } from '../../../support/missions.ts';

useFakeTimers();

describe('A mission of the simulated robot', () => {
  it('is accepted, starts after a moment, and finishes', async () => {
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

  it('that has ended can be awaited exactly once more', async () => {
    const { alice } = world();
    const id = idOf(alice('skill', { name: 'nod' }));
    await jest.advanceTimersByTimeAsync(2_000);
    expect(alice('wait_for_skill_started', id)).toEqual({ started: true, msg: 'Mission started' });
    expect(alice('wait_for_skill', id)).toEqual(FINISHED);
    expect(alice('wait_for_skill', id)).toEqual(NOT_FOUND);
    expect(alice('wait_for_skill_started', id)).toEqual({ started: false, msg: 'Mission not found' });
  });

  it('can be awaited by several clients at once, and once more afterwards', async () => {
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
  ])('that does not exist is not found by %s', (command, answer) => {
    expect(world().alice(command, 'no-such-mission')).toEqual(answer);
  });

  it('continues when its waiter leaves, without leaking a listener', async () => {
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

  it('leaks no listener when it ends in time', async () => {
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
  ])('is not accepted for %s', (_what, command, value) => {
    expect(world().alice(command, value)).toEqual({ called: false, msg: expect.stringMatching(/skill/) });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('takes as long as all its skills together', async () => {
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

  it('makes noise only while it sings', async () => {
    const { alice } = world();
    alice('skill', { name: 'sing' });
    expect(alice('is_making_noise')).toBe(false);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(alice('is_making_noise')).toBe(true);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(alice('is_making_noise')).toBe(false);
  });
});
