import { describe, expect, it } from '@jest/globals';
import { Shares } from '../../../../functions/shared/kit/shares.ts';

/** Takes places until none is given any more; how many those were. */
function takeAll(shares: Shares, owner: string): number {
  for (let count = 0; ; count += 1) {
    try {
      shares.take(owner);
    } catch {
      return count;
    }
  }
}

describe('Shares of keys', () => {
  it('leave room for every other key, however much one key asks for', () => {
    const shares = new Shares(1_000, 'missions');
    const taken = Array.from({ length: 9 }, (_, key) => takeAll(shares, `key-${key}`));
    expect(taken).toEqual([500, 250, 125, 63, 31, 16, 8, 4, 2]);
  });

  it('can be taken again once released', () => {
    const shares = new Shares(4, 'missions');
    const giveBack = shares.take('alice');
    shares.take('alice');
    expect(() => shares.take('alice')).toThrow('2 missions of this key are under way');
    giveBack();
    shares.take('alice');
    expect(() => shares.take('alice')).toThrow(expect.objectContaining({ code: 'busy', budget: 'commands' }));
  });
});
