import { describe, expect, it } from '@jest/globals';
import { arrivalStamp, Fence } from '../../../../functions/shared/control/fence.ts';
import { refusal } from '../../../support/errors.ts';

/** A reserve whose disk takes nothing as long as `full` is set. */
function reserve(first = 1) {
  let last = first - 1;
  const disk = { full: false };
  const numbers = {
    get last() {
      return last;
    },
    next() {
      last += 1;
      return last;
    },
    async skip(number: number) {
      last = Math.max(last, number);
    },
    get kept() {
      return !disk.full;
    },
  };
  return { disk, numbers };
}

describe('The fence', () => {
  it('passes motion that arrived after the last stop and refuses earlier motion', async () => {
    const fence = new Fence();
    const before = arrivalStamp();
    fence.admit(before);
    fence.raise();
    expect(await refusal(() => fence.admit(before))).toMatchObject({
      code: 'stopped',
      members: { command_ran: 'no' },
    });
    fence.admit(arrivalStamp());
  });

  it('never refuses commands that move nothing', () => {
    const fence = new Fence();
    fence.raise();
    expect(() => fence.admit(undefined)).not.toThrow();
  });

  it('rises by one at each stop', () => {
    const fence = new Fence(reserve(41).numbers);
    expect([fence.read(), fence.raise(), fence.raise(), fence.read()]).toEqual([41, 42, 43, 43]);
  });

  it('refuses motion, but never a stop, while its number cannot be stored', async () => {
    const { disk, numbers } = reserve();
    const fence = new Fence(numbers);
    disk.full = true;
    expect(fence.raise()).toBe(2);
    expect(await refusal(() => fence.admit(arrivalStamp()))).toMatchObject({
      code: 'storage_full',
      members: { command_ran: 'no' },
    });
    disk.full = false;
    fence.admit(arrivalStamp());
  });

  it('continues above a number already given out for this robot', async () => {
    const fence = new Fence(reserve().numbers);
    await fence.advance(500);
    expect([fence.read(), fence.raise()]).toEqual([500, 501]);
    await fence.advance(7);
    expect(fence.read()).toBe(501);
  });
});

describe('The fence of a robot that owns its number', () => {
  it('begins with the number of the robot without counting it as a stop', () => {
    const fence = new Fence(reserve(9000).numbers);
    const arrived = arrivalStamp();
    fence.follow(57);
    expect(fence.read()).toBe(57);
    fence.admit(arrived);
  });

  it('treats a higher number as a stop by someone else', async () => {
    const fence = new Fence();
    fence.follow(57);
    const before = arrivalStamp();
    fence.follow(58);
    expect((await refusal(() => fence.admit(before))).code).toBe('stopped');
    fence.admit(arrivalStamp());
  });

  it('anticipates the number after its own stop, so that the next motion passes', () => {
    const fence = new Fence();
    fence.follow(57);
    expect(fence.raise()).toBe(58);
    const after = arrivalStamp();
    fence.follow(58);
    fence.admit(after);
  });

  it('does not keep a stop made while the robot was unreachable', async () => {
    const fence = new Fence();
    fence.follow(57);
    const before = arrivalStamp();
    fence.lose();
    const later = arrivalStamp();
    fence.follow(60);
    expect((await refusal(() => fence.admit(before))).code).toBe('stopped');
    fence.admit(later);
  });

  it('needs no disk', () => {
    const { disk, numbers } = reserve();
    const fence = new Fence(numbers);
    disk.full = true;
    fence.follow(3);
    fence.admit(arrivalStamp());
    expect(fence.raise()).toBe(4);
  });

  it('counts on its own again when the robot no longer does', () => {
    const fence = new Fence(reserve(10).numbers);
    fence.follow(57);
    fence.own();
    expect([fence.read(), fence.raise()]).toEqual([11, 12]);
  });

  it('stays an exact integer however far it is driven', () => {
    const fence = new Fence();
    fence.follow(Number.MAX_SAFE_INTEGER);
    expect(fence.raise()).toBe(Number.MAX_SAFE_INTEGER);
  });
});
