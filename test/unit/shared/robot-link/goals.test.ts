import { afterEach, describe, expect, it } from '@jest/globals';
import { Goals } from '../../../../functions/shared/robot-link/adapters/rosbridge/goals.ts';
import { refusal } from '../../../support/errors.ts';
import { closeScenes } from '../../../support/rosbridge-link.ts';

afterEach(closeScenes);

const ALICE = { clientId: 'alice', keyId: 'key-1' };
const NAV = { action: '/nav', command: 'go' };

describe('Goals', () => {
  it('of one key are limited to 500 under way, and each that ends makes room', async () => {
    const goals = new Goals();
    const [first] = Array.from({ length: 500 }, () => goals.add(ALICE, NAV));
    const refused = await refusal(() => goals.add(ALICE, NAV));
    expect(refused).toMatchObject({ code: 'busy', message: expect.stringContaining('500 goals of this key') });
    expect(goals.add({ clientId: 'bob', keyId: 'key-2' }, NAV).ending).toBeUndefined();
    if (first) goals.end(first, { how: 'succeeded', result: null, message: 'Finished' });
    const next = goals.add(ALICE, NAV);
    expect(goals.underWay()).toContain(next);
  });

  it('that have ended keep a short message, and a result only for waiters', async () => {
    const goals = new Goals();
    const ending = { how: 'failed', result: { map: 'x'.repeat(10_000) }, message: 'y'.repeat(10_000) } as const;
    const [left, awaited] = [goals.add(ALICE, NAV), goals.add(ALICE, NAV)];
    const waiting = awaited.over.wait(new AbortController().signal);
    for (const goal of [left, awaited]) goals.end(goal, ending);
    await waiting;
    expect(left.ending).toEqual({ how: 'failed', result: null, message: 'y'.repeat(300) });
    expect(awaited.ending).toEqual({ ...ending, message: 'y'.repeat(300) });
  });

  it('that have ended are remembered up to the newest thousand', () => {
    const goals = new Goals();
    const ended = Array.from({ length: 1_001 }, () => {
      const goal = goals.add(ALICE, NAV);
      goals.end(goal, { how: 'succeeded', result: null, message: 'Finished' });
      return goal.id;
    });
    expect(ended.map((id) => goals.known(id) !== undefined)).toEqual(ended.map((_, index) => index > 0));
  });
});
