import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { LoopTurns } from '../../../local-host/loop-turns.ts';

it('Heavy work passes in order, and leaves turns of the event loop to others in between', async () => {
  const turns = new LoopTurns();
  const seen: Array<readonly [name: string, turn: number]> = [];
  let turn = 0;
  const work = ['a', 'b', 'c'].map((name) => turns.next().then(() => seen.push([name, turn])));
  while (seen.length < 3) {
    await nextTurn();
    turn += 1;
  }
  await Promise.all(work);
  expect(seen.map(([name]) => name)).toEqual(['a', 'b', 'c']);
  const [a = 0, b = 0, c = 0] = seen.map((each) => each[1]);
  expect(a).toBeLessThanOrEqual(1);
  expect([b - a, c - b].every((between) => between >= 64)).toBe(true);
  await turns.next();
});
