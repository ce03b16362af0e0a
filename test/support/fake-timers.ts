import { afterEach, beforeEach, jest } from '@jest/globals';

/** Fake timers in every test of the block, from `now` (ms since the epoch); the returned function lets time pass. */
export function useFakeTimers(now?: number): (ms: number) => Promise<void> {
  beforeEach(() => {
    jest.useFakeTimers(now === undefined ? {} : { now });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  return (ms) => jest.advanceTimersByTimeAsync(ms);
}
