import { describe, expect, it } from '@jest/globals';
import { Turnstile } from '../../../functions/shared/turnstile.ts';

const waiting = new AbortController().signal;

/** Work that ends when it is told to. */
function controlled() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, work: () => ended };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('A turnstile', () => {
  it('lets so many in at once, the others in the order of their arrival', async () => {
    const turnstile = new Turnstile(2);
    const begun: number[] = [];
    const works = [0, 1, 2, 3].map(controlled);
    const passing = works.map(({ work }, index) =>
      turnstile.pass(() => {
        begun.push(index);
        return work();
      }, waiting),
    );
    await settled();
    expect(begun).toEqual([0, 1]);
    works[1]?.end();
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    for (const { end } of works) end();
    await Promise.all(passing);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('goes on when work fails, and never begins work nobody waits for', async () => {
    const turnstile = new Turnstile(1);
    const failing = turnstile.pass(() => Promise.reject(new Error('failed')), waiting);
    const gone = new AbortController();
    let begun = false;
    const aborted = turnstile.pass(async () => {
      begun = true;
    }, gone.signal);
    gone.abort(new Error('hung up'));
    await expect(failing).rejects.toThrow('failed');
    await expect(aborted).rejects.toThrow('hung up');
    expect(begun).toBe(false);
    expect(await turnstile.pass(async () => 'through', waiting)).toBe('through');
  });
});
