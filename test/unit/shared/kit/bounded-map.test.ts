import { describe, expect, it } from '@jest/globals';
import { BoundedMap } from '../../../../functions/shared/kit/bounded-map.ts';

describe('A bounded map', () => {
  it('forgets the oldest entry when a new one does not fit', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2).set('c', 3);
    expect([...map]).toEqual([
      ['b', 2],
      ['c', 3],
    ]);
  });

  it('forgets nothing when a known entry is set again', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2).set('a', 3);
    expect([...map]).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
  });
});
