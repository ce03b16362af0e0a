import { expect, it } from '@jest/globals';
import { BodyBudget } from '../../../../local-host/http/body-budget.ts';

const LIMITS = { bodyBytes: 40, bodyBytesPerOwner: 20 };

function budgetWithClock() {
  let now = 0;
  const rejected: string[] = [];
  const budget = new BodyBudget(LIMITS, () => now);
  const begin = (owner: string, name: string) => budget.begin(owner, () => rejected.push(name));
  const wait = (ms: number) => {
    now += ms;
  };
  return { budget, rejected, begin, wait };
}

it('rejects the newest body of a key whose bodies all make progress, so that the others complete', () => {
  const { budget, rejected, begin } = budgetWithClock();
  const bodies = ['a', 'b', 'c', 'd'].map((name) => begin('mallory', name));
  for (const body of bodies.slice(0, 3)) budget.add(body, 10);
  expect(rejected).toEqual(['c']);
});

it('rejects the oldest body that has stalled for a second instead', () => {
  const { budget, rejected, begin, wait } = budgetWithClock();
  const [first, second, third] = [begin('mallory', 'first'), begin('mallory', 'second'), begin('mallory', 'third')];
  budget.add(first, 10);
  budget.add(second, 5);
  wait(1_000);
  budget.add(second, 5);
  budget.add(third, 10);
  expect(rejected).toEqual(['first']);
});

it('rejects the body of the key with the most bytes when all together are too many', () => {
  const { budget, rejected, begin } = budgetWithClock();
  budget.add(begin('mallory', 'large'), 19);
  budget.add(begin('alice', 'small'), 10);
  budget.add(begin('bob', 'another'), 12);
  expect(rejected).toEqual(['large']);
});
