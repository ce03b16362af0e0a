import { describe, expect, it } from '@jest/globals';
import { SeenIds } from '../../../../local-host/relay/seen-ids.ts';

describe('Message ids', () => {
  it('are new only once', () => {
    const seen = new SeenIds();
    expect(seen.take('a', 100, 0)).toBe('new');
    expect(seen.take('a', 100, 50)).toBe('seen');
    expect(seen.take('b', 100, 50)).toBe('new');
  });

  it('are never forgotten while their message could still be accepted', () => {
    const seen = new SeenIds(3);
    for (const id of ['a', 'b', 'c']) seen.take(id, 100, 0);
    expect(seen.take('d', 200, 100)).toBe('full');
    expect(seen.take('a', 100, 100)).toBe('seen');
    expect(seen.take('d', 200, 101)).toBe('new');
    expect(seen.size).toBe(1);
  });

  it('use bounded memory', () => {
    const seen = new SeenIds(100);
    for (let n = 0; n < 10_000; n += 1) seen.take(String(n), n + 10, n);
    expect(seen.size).toBeLessThanOrEqual(100);
  });
});
