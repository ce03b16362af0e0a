import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LogDestination } from '../../../local-host/log-destination.ts';
import { until } from '../../support/processes.ts';
import { describeOnDisks } from '../../support/small-disk.ts';

let folder = '';
let fd = 0;
const written = () => readFileSync(join(folder, 'log'), 'utf8');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'robot-rest-log-'));
  fd = openSync(join(folder, 'log'), 'a');
});

afterEach(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
});

describe('The log destination', () => {
  it('writes lines by itself, whole and in order', async () => {
    const log = new LogDestination(fd);
    for (const line of ['one\n', 'two\n', 'three\n']) log.write(line);
    await until('the lines are written', () => written() !== '');
    log.write('four\n');
    await until('the next one is written', () => written().includes('four'));
    expect(written()).toBe('one\ntwo\nthree\nfour\n');
  });

  it('has written every line once it is closed, however many and long they were', async () => {
    const log = new LogDestination(fd);
    const sent = Array.from({ length: 3_000 }, (_, n) => `${n} ${'ü'.repeat(100)}\n`);
    for (const line of sent) log.write(line);
    expect(await log.close(10_000)).toBe(true);
    expect(written()).toBe(sent.join(''));
  });

  it('keeps the order when one line is longer than the buffer', async () => {
    const log = new LogDestination(fd);
    const sent = ['before\n', `${'ü😀'.repeat(40_000)}\n`, 'after\n'];
    for (const line of sent) log.write(line);
    await log.close(10_000);
    expect(written()).toBe(sent.join(''));
  });

  it('can be closed without a line, and twice', async () => {
    const log = new LogDestination(fd);
    expect([await log.close(10_000), await log.close(10_000)]).toEqual([true, true]);
    expect(written()).toBe('');
  });

  it('drops and counts lines while nobody reads a full pipe, and goes on when somebody does', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const log = new LogDestination(openSync(path, constants.O_WRONLY));
    for (let n = 0; n < 20_000; n += 1) log.write(`${n} ${'x'.repeat(100)}\n`);
    expect(await log.close(300)).toBe(true);
    const bytes = Buffer.alloc(1024 * 1024);
    let text = '';
    const read = () => {
      try {
        text += bytes.toString('utf8', 0, readSync(reader, bytes));
      } catch (error) {
        expect(error).toMatchObject({ code: 'EAGAIN' });
      }
      return text.includes('dropped log lines');
    };
    await until('the loss is logged', read);
    const lines = text.trimEnd().split('\n');
    const notice = JSON.parse(lines.pop() ?? '');
    expect(lines.map((line) => Number(line.split(' ')[0]))).toEqual(lines.map((_, n) => n));
    expect(notice).toMatchObject({ level: 'warn', lines: 20_000 - lines.length });
    closeSync(reader);
  });
});

describeOnDisks('The log destination on a full disk', (mount) => {
  it('keeps lines until there is room, and does not cut one', async () => {
    const disk = mount(256 * 1024);
    const path = join(disk.folder, 'log');
    const log = new LogDestination(openSync(path, 'a'));
    log.write('before\n');
    await until('the first line is written', () => readFileSync(path, 'utf8') !== '');
    disk.fill();
    const sent = Array.from({ length: 1_000 }, (_, n) => `${n} ${'x'.repeat(100)}\n`);
    for (const line of sent) log.write(line);
    expect(await log.close(300)).toBe(true);
    disk.free();
    await until('the rest is written', () => readFileSync(path, 'utf8').includes('\n999 '));
    expect(readFileSync(path, 'utf8')).toBe(`before\n${sent.join('')}`);
  });
});
