import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { KeptNumbers } from '../../../../functions/shared/control/adapters/kept-numbers.ts';
import { until } from '../../../support/processes.ts';
import { describeOnDisks } from '../../../support/small-disk.ts';
import { silentLogger, temporaryFolder } from '../../../support/world.ts';

const fileIn = (folder: string) => join(folder, 'data', 'fence.json');
const open = (path: string) => KeptNumbers.open(path, silentLogger);
const take = (numbers: KeptNumbers, count: number) => Array.from({ length: count }, () => numbers.next());

describe('Stored numbers', () => {
  it('are given out in order, and never twice across restarts', async () => {
    const path = fileIn(temporaryFolder());
    let last = 0;
    for (let start = 0; start < 5; start += 1) {
      const numbers = await open(path);
      for (const number of take(numbers, 3)) {
        expect(number).toBeGreaterThan(last);
        last = number;
      }
    }
  });

  it('are distinct for two services on one data folder', async () => {
    const path = fileIn(temporaryFolder());
    const [one, two] = await Promise.all([open(path), open(path)]);
    const given: number[] = [];
    for (const numbers of [one, two, one, two, one, two]) {
      for (let count = 0; count < 900; count += 1) {
        const number = numbers.next();
        if (numbers.kept) given.push(number);
        else await until(() => numbers.kept);
      }
    }
    expect(given.length).toBeGreaterThan(5_000);
    expect(new Set(given).size).toBe(given.length);
  });

  it('stay stored beyond the first block', async () => {
    const numbers = await open(fileIn(temporaryFolder()));
    for (let round = 0; round < 10; round += 1) {
      take(numbers, 400);
      await until(() => numbers.kept);
    }
    expect(numbers.next()).toBe(4_002);
  });

  it.each(['', '{"next": -1}', '{"next": 1.5}', 'null', '[1]'])('start high when the file holds %p', async (text) => {
    const path = fileIn(temporaryFolder());
    await open(path);
    writeFileSync(path, text);
    const numbers = await open(path);
    expect(numbers.next()).toBeGreaterThan(1_700_000_000_000);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ next: expect.any(Number) });
  });

  it('continue above a number seen elsewhere, and store it', async () => {
    const path = fileIn(temporaryFolder());
    const numbers = await open(path);
    await numbers.skip(1_000_000);
    expect([numbers.kept, numbers.next()]).toEqual([true, 1_000_001]);
    expect((await open(path)).next()).toBeGreaterThan(1_000_001);
  });
});

describeOnDisks('Stored numbers on a full disk', (mount) => {
  it('continue unstored, and are stored again once there is room', async () => {
    const disk = mount(256 * 1024);
    const numbers = await open(fileIn(disk.folder));
    disk.fill();
    take(numbers, 1_200);
    expect(numbers.kept).toBe(false);
    expect(numbers.next()).toBe(1_202);
    disk.free();
    await until(() => numbers.kept);
    expect(numbers.next()).toBe(1_203);
    expect((await open(fileIn(disk.folder))).next()).toBeGreaterThan(1_203);
  });

  it('are not stored when the service starts on it', async () => {
    const disk = mount(256 * 1024);
    disk.fill();
    const numbers = await open(fileIn(disk.folder));
    expect([numbers.kept, numbers.next()]).toEqual([false, 1]);
  });
});
