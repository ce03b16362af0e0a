import { describe, expect, it } from '@jest/globals';
import { Backoff } from '../../../../functions/shared/kit/backoff.ts';

describe('A back-off', () => {
  it('doubles the delay with each failure, up to the longest, and begins anew after a reset', () => {
    const backoff = new Backoff(250, 1_500);
    expect([backoff.fail(), backoff.fail(), backoff.fail(), backoff.fail()]).toEqual([250, 500, 1_000, 1_500]);
    backoff.reset();
    expect(backoff.fail()).toBe(250);
  });

  it('takes at most half of the delay away at random', () => {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const delayMs = new Backoff(1_000, 8_000).failWithJitter();
      expect(delayMs).toBeGreaterThanOrEqual(500);
      expect(delayMs).toBeLessThanOrEqual(1_000);
    }
  });
});
