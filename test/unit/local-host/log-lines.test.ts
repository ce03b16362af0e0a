import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLogLines } from '../../../local-host/log-lines.ts';
import { until } from '../../support/processes.ts';

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

describe('The lines of the log', () => {
  it('reach the file by themselves, whole and in order', async () => {
    const lines = openLogLines(fd);
    for (const line of ['one\n', 'two\n', 'three\n']) lines.write(line);
    await until('the lines are written', () => written() !== '');
    lines.write('four\n');
    await until('the next one is written', () => written().includes('four'));
    expect(written()).toBe('one\ntwo\nthree\nfour\n');
  });

  it('are all there after a flush, whole, however many and long they were', async () => {
    const lines = openLogLines(fd);
    const sent = Array.from({ length: 3_000 }, (_, n) => `${n} ${'ü'.repeat(100)}\n`);
    for (const line of sent) lines.write(line);
    lines.flushSync();
    const text = sent.join('');
    await until('the write under way has ended', () => Buffer.byteLength(written()) >= Buffer.byteLength(text));
    expect(written().split('\n').sort()).toEqual(text.split('\n').sort());
  });

  it('stay in their order when one is longer than goes out at once', async () => {
    const lines = openLogLines(fd);
    const sent = ['before\n', `${'ü😀'.repeat(40_000)}\n`, 'after\n'];
    for (const line of sent) lines.write(line);
    await until('all are written', () => written().endsWith('after\n'));
    expect(written()).toBe(sent.join(''));
  });

  it('may be flushed when there is none', () => {
    const lines = openLogLines(fd);
    lines.flushSync();
    lines.flushSync();
    expect(written()).toBe('');
  });
});
