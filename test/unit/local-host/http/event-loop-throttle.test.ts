import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { EventLoopThrottle } from '../../../../local-host/http/event-loop-throttle.ts';

it('admits heavy tasks in order, and leaves turns of the event loop to others in between', async () => {
  const throttle = new EventLoopThrottle();
  const seen: Array<readonly [name: string, turn: number]> = [];
  let turn = 0;
  const work = ['a', 'b', 'c'].map((name) => throttle.next('alice').then(() => seen.push([name, turn])));
  while (seen.length < 3) {
    await nextTurn();
    turn += 1;
  }
  await Promise.all(work);
  expect(seen.map(([name]) => name)).toEqual(['a', 'b', 'c']);
  const [a = 0, b = 0, c = 0] = seen.map((each) => each[1]);
  expect(a).toBeLessThanOrEqual(1);
  expect([b - a, c - b].every((between) => between >= 32)).toBe(true);
  await throttle.next('alice');
});

it('lets owners take turns', async () => {
  const throttle = new EventLoopThrottle();
  const admitted: string[] = [];
  const tasks = ['mallory', 'mallory', 'mallory', 'alice', 'bob', 'alice'];
  await Promise.all(tasks.map((owner) => throttle.next(owner).then(() => admitted.push(owner))));
  expect(admitted).toEqual(['mallory', 'alice', 'bob', 'mallory', 'alice', 'mallory']);
});
