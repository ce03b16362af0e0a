import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Turns } from '../../../functions/shared/adapters/database/sqlite/turns.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Work that ends when it is told to. */
function work() {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begun = false;
  return {
    run: () => {
      begun = true;
      return done;
    },
    end: () => end(),
    begun: () => begun,
  };
}

describe('Writes', () => {
  it('go one at a time, in the order they came', async () => {
    const turns = new Turns();
    const works = [work(), work(), work()];
    const taken = works.map(({ run }) => turns.take(run));
    for (const [index, { end }] of works.entries()) {
      expect(works.map(({ begun }) => begun())).toEqual(works.map((_, other) => other <= index));
      end();
      await taken[index];
      await jest.advanceTimersByTimeAsync(0);
    }
  });

  it('that wait five seconds for a long one are busy, and never run', async () => {
    const turns = new Turns();
    const [long, late] = [work(), work()];
    const first = turns.take(long.run);
    const second = expect(turns.take(late.run)).rejects.toMatchObject({
      code: 'busy',
      headers: { 'retry-after': '2' },
    });
    await jest.advanceTimersByTimeAsync(5_000);
    await second;
    long.end();
    await first;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(late.begun()).toBe(false);
  });

  it('go on after one that failed', async () => {
    const turns = new Turns();
    const failing = turns.take(() => Promise.reject(new Error('no')));
    const next = turns.take(async () => 'done');
    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe('done');
  });

  it('that come while a thousand wait are busy at once', async () => {
    const turns = new Turns();
    const long = work();
    const all = [turns.take(long.run), ...Array.from({ length: 1_000 }, () => turns.take(async () => {}))];
    await expect(turns.take(async () => {})).rejects.toMatchObject({ code: 'busy' });
    long.end();
    await Promise.all(all);
  });
});
