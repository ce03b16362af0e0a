import { renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { arrivalStamp, Fence } from '../../../../functions/shared/control/fence.ts';
import { FenceFile } from '../../../../local-host/guard/fence-file.ts';
import { GuardStops } from '../../../../local-host/guard/guard-stops.ts';
import { InFlight } from '../../../../local-host/http/in-flight.ts';
import { refusal } from '../../../support/errors.ts';
import { until } from '../../../support/processes.ts';
import { silentLogger, temporaryFolder } from '../../../support/world.ts';

function pair({ holdMs = 0 } = {}) {
  const path = join(temporaryFolder(), 'fence');
  const fence = new Fence();
  const stops: number[] = [];
  const state = { isGuardThere: true, now: undefined as number | undefined };
  const main = new FenceFile(path, 'main');
  const guardStops = new GuardStops({
    file: main,
    fence,
    logger: silentLogger,
    holdMs,
    monotonic: () => state.now ?? performance.now(),
    isGuardThere: () => state.isGuardThere,
    arrivals: new InFlight(),
    onStop: () => void stops.push(fence.read()),
  });
  fence.shareWith(guardStops);
  const guard = new FenceFile(path, 'guard');
  const stop = () => guard.raise(Math.max(guard.word('main'), guard.word('guard')) + 1);
  return { path, fence, stops, state, main, guard, guardStops, stop };
}

const codeOf = async (work: () => unknown) => (await refusal(work)).code;

/** Settles when motion that arrives now is sent again. */
const passes = (fence: Fence) =>
  until('motion passes', () => {
    try {
      fence.admit(arrivalStamp());
      return true;
    } catch {
      return false;
    }
  });

describe('A stop of the guard', () => {
  it('refuses motion that arrived before the service looked, and is told once', async () => {
    const { fence, stops, stop } = pair();
    const before = arrivalStamp();
    fence.admit(before);
    const number = fence.read();
    stop();
    expect(await codeOf(() => fence.admit(before))).toBe('stopped');
    expect(fence.read()).toBeGreaterThan(number);
    expect(stops).toHaveLength(1);
    expect(await codeOf(() => fence.admit(before))).toBe('stopped');
    expect(stops).toHaveLength(1);
  });

  it('refuses motion that arrives within the hold, and what moves nothing never', async () => {
    const { fence, stop, guardStops, state } = pair({ holdMs: 20 });
    state.now = 0;
    stop();
    guardStops.look();
    expect(await codeOf(() => fence.admit(arrivalStamp()))).toBe('stopped');
    fence.admit(undefined);
    state.now = 19;
    await sleep(50);
    expect(await codeOf(() => fence.admit(arrivalStamp()))).toBe('stopped');
    state.now = 20;
    await passes(fence);
  });

  it('holds motion back until the event loop has turned, however late the timer is', async () => {
    const { fence, stop, guardStops, state } = pair({ holdMs: 1 });
    state.now = 0;
    stop();
    guardStops.look();
    state.now = 5_000;
    // Called right after the timer of the hold, before any socket is read.
    const code = new Promise((resolve) => setTimeout(() => resolve(codeOf(() => fence.admit(arrivalStamp()))), 2));
    const until = performance.now() + 20;
    while (performance.now() < until); // the process is held up
    expect(await code).toBe('stopped');
    for (let turns = 0; turns < 5; turns += 1) await turn();
    fence.admit(arrivalStamp());
  });

  it('begins the hold anew with each stop', async () => {
    const { fence, stop, guardStops, state } = pair({ holdMs: 20 });
    state.now = 0;
    stop();
    guardStops.look();
    state.now = 15;
    stop();
    guardStops.look();
    state.now = 30;
    await sleep(50);
    expect(await codeOf(() => fence.admit(arrivalStamp()))).toBe('stopped');
    state.now = 35;
    await passes(fence);
  });

  it('from before the start of the service refuses nothing', () => {
    const { path, stop } = pair();
    stop();
    const fence = new Fence();
    const file = new FenceFile(path, 'main');
    const parts = { file, fence, logger: silentLogger, holdMs: 0, monotonic: () => 0, arrivals: new InFlight() };
    fence.shareWith(new GuardStops({ ...parts, isGuardThere: () => true, onStop: () => undefined }));
    fence.admit(arrivalStamp());
  });
});

describe('The shared file', () => {
  it('tells the guard the number of the service, whatever raises it', async () => {
    const { fence, guard } = pair();
    expect(guard.word('main')).toBe(fence.read());
    fence.raise();
    expect(guard.word('main')).toBe(fence.read());
    await fence.advance(77);
    expect(guard.word('main')).toBe(77);
    fence.follow(99);
    expect(guard.word('main')).toBe(99);
  });

  it.each([
    ['removed', (path: string) => rmSync(path)],
    ['moved away', (path: string) => renameSync(path, `${path}-elsewhere`)],
    [
      'replaced',
      (path: string) => {
        writeFileSync(`${path}-new`, 'fence-1\n'.padEnd(40, '\0'));
        renameSync(`${path}-new`, path);
      },
    ],
    ['removed with its folder', (path: string) => rmSync(dirname(path), { recursive: true })],
    ['cut off', (path: string) => truncateSync(path)],
    ['overwritten', (path: string) => writeFileSync(path, Buffer.alloc(40, 0xff))],
    ['overwritten with zeros', (path: string) => writeFileSync(path, 'fence-1\n'.padEnd(40, '\0'))],
    [
      'replaced by something else',
      (path: string) => {
        rmSync(path);
        writeFileSync(path, 'nothing');
      },
    ],
  ])('refuses motion when it was %s, until both have opened the new one', async (_how, spoil) => {
    const { path, fence, guard, stop, stops } = pair();
    stop();
    expect(await codeOf(() => fence.admit(arrivalStamp()))).toBe('stopped');
    spoil(path);
    await turn();
    await sleep(5);
    expect(await codeOf(() => fence.admit(arrivalStamp()))).toBe('component_unavailable');
    expect(guard.reopen()).toBe(true);
    fence.admit(arrivalStamp());
    expect(stops).toHaveLength(1);
    stop();
    expect(await codeOf(() => fence.admit(arrivalStamp()))).toBe('stopped');
    expect(stops).toHaveLength(2);
  });

  it('holds nothing back without a guard', () => {
    const { path, fence, state } = pair();
    state.isGuardThere = false;
    rmSync(path);
    fence.admit(arrivalStamp());
  });
});
