import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WriteQueue } from '../../../functions/database/adapters/sqlite/queues.ts';

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
  it('run one at a time, in order of arrival', async () => {
    const queue = new WriteQueue();
    const works = [work(), work(), work()];
    const taken = works.map(({ run }) => queue.run(run));
    for (const [index, { end }] of works.entries()) {
      expect(works.map(({ begun }) => begun())).toEqual(works.map((_, other) => other <= index));
      end();
      await taken[index];
      await jest.advanceTimersByTimeAsync(0);
    }
  });

  it('waiting five seconds behind a long one fail as busy and never run', async () => {
    const queue = new WriteQueue();
    const [long, late] = [work(), work()];
    const first = queue.run(long.run);
    const second = expect(queue.run(late.run)).rejects.toMatchObject({
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

  it('continue after one failed', async () => {
    const queue = new WriteQueue();
    const failing = queue.run(() => Promise.reject(new Error('no')));
    const next = queue.run(async () => 'done');
    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe('done');
  });

  it('fail as busy at once when a thousand are waiting', async () => {
    const queue = new WriteQueue();
    const long = work();
    const all = [queue.run(long.run), ...Array.from({ length: 1_000 }, () => queue.run(async () => {}))];
    await expect(queue.run(async () => {})).rejects.toMatchObject({ code: 'busy' });
    long.end();
    await Promise.all(all);
  });
});
