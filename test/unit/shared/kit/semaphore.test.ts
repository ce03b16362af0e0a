import { describe, expect, it } from '@jest/globals';
import { Semaphore } from '../../../../functions/shared/kit/semaphore.ts';

/** Work that ends when it is told to. */
function controlled() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, work: () => ended };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('A semaphore', () => {
  it('runs as much work at once as it has places, the rest in the order of arrival', async () => {
    const semaphore = new Semaphore(2);
    const begun: number[] = [];
    const works = [0, 1, 2, 3].map(controlled);
    const running = works.map(({ work }, index) =>
      semaphore.run(() => {
        begun.push(index);
        return work();
      }),
    );
    await settled();
    expect(begun).toEqual([0, 1]);
    works[1]?.end();
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    for (const { end } of works) end();
    await Promise.all(running);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('goes on after work that failed, and never begins work whose wait was aborted', async () => {
    const semaphore = new Semaphore(1);
    const failing = semaphore.run(() => Promise.reject(new Error('failed')));
    const gone = new AbortController();
    let begun = false;
    const work = async () => {
      begun = true;
    };
    const aborted = semaphore.run(work, { signal: gone.signal });
    gone.abort(new Error('hung up'));
    await expect(failing).rejects.toThrow('failed');
    await expect(aborted).rejects.toThrow('hung up');
    await expect(semaphore.run(work, { signal: gone.signal })).rejects.toThrow('hung up');
    expect(begun).toBe(false);
    expect(await semaphore.run(async () => 'through')).toBe('through');
  });

  it('hands a released place to the first that waits, not to a newcomer', async () => {
    const semaphore = new Semaphore(1);
    const order: string[] = [];
    const releaseFirst = await semaphore.acquire();
    const enter = async (name: string) => {
      const release = await semaphore.acquire();
      order.push(name);
      return release;
    };
    const second = enter('second');
    const third = enter('third');
    expect(semaphore.tryAcquire()).toBeUndefined();
    releaseFirst();
    (await second)();
    (await third)();
    expect(order).toEqual(['second', 'third']);
    expect(semaphore.tryAcquire()).toBeDefined();
    expect(semaphore.tryAcquire()).toBeUndefined();
  });

  it('counts a place once, however often it is released', () => {
    const semaphore = new Semaphore(1);
    const release = semaphore.tryAcquire();
    release?.();
    release?.();
    expect(semaphore.tryAcquire()).toBeDefined();
    expect(semaphore.tryAcquire()).toBeUndefined();
  });

  it('keeps no place for a wait that was aborted', async () => {
    const semaphore = new Semaphore(1);
    const release = semaphore.tryAcquire();
    const controller = new AbortController();
    const waiting = semaphore.acquire({ signal: controller.signal });
    controller.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    release?.();
    expect(semaphore.tryAcquire()).toBeDefined();
    await expect(semaphore.acquire({ signal: controller.signal })).rejects.toThrow('left');
  });
});
