import { describe, expect, it } from '@jest/globals';
import { followLog, RunLog } from '../../../../functions/shared/runs/run-log.ts';

const messages = (log: RunLog) => log.entries().map(({ message }) => message);

describe('the log of a run', () => {
  it('keeps lines apart by stream, whatever pieces they come in', () => {
    const log = new RunLog(() => 0);
    log.write('stdout', Buffer.from('on'));
    log.write('stderr', Buffer.from('other\n'));
    log.write('stdout', Buffer.from('e\ntwo\nthr'));
    const euro = Buffer.from('€');
    log.write('stdout', euro.subarray(0, 1));
    log.write('stdout', euro.subarray(1));
    log.end();
    expect(log.entries().map(({ stream, message }) => [stream, message])).toEqual([
      ['stderr', 'other'],
      ['stdout', 'one'],
      ['stdout', 'two'],
      ['stdout', 'thr€'],
    ]);
    expect(log.truncated).toBe(false);
  });

  it('cuts a long line at 8 KiB, not inside a character, and says so', () => {
    const log = new RunLog(() => 0);
    log.write('stdout', Buffer.from(`${'€'.repeat(10_000)}`));
    log.write('stdout', Buffer.from('more\nshort\n'));
    expect(messages(log)).toEqual(['€'.repeat(Math.floor(8192 / 3)), 'short']);
    expect(log.truncated).toBe(true);
  });

  it('keeps the newest MiB of a flood, of empty lines too', () => {
    const log = new RunLog(() => 0);
    for (let round = 0; round < 64; round += 1) log.write('stdout', Buffer.from('\n'.repeat(65_536)));
    log.write('stdout', Buffer.from('last\n'));
    expect(log.bytes).toBeLessThanOrEqual(1024 * 1024);
    expect(log.entries().length).toBeLessThanOrEqual(16_384);
    expect(messages(log).at(-1)).toBe('last');
    expect(log.truncated).toBe(true);
  });

  it('gives a follower every line until the end', async () => {
    const log = new RunLog(() => 0);
    log.write('stdout', Buffer.from('before\n'));
    const seen: string[] = [];
    const following = (async () => {
      for await (const { message } of followLog(log, new AbortController().signal)) seen.push(message);
    })();
    await new Promise(setImmediate);
    log.write('stdout', Buffer.from('after\nunfinished'));
    log.end();
    await following;
    expect(seen).toEqual(['before', 'after', 'unfinished']);
  });

  it('ends a follower that hangs up', async () => {
    const log = new RunLog(() => 0);
    const hangUp = new AbortController();
    const next = followLog(log, hangUp.signal).next();
    hangUp.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('gives a slow follower what is still kept', () => {
    const log = new RunLog(() => 0);
    for (let round = 0; round < 40; round += 1)
      log.write('stdout', Buffer.from(`${`${round} `.repeat(1000)}\n`.repeat(20)));
    const first = log.at(0);
    expect(first?.entry).toBe(log.entries()[0]);
    expect(log.at(log.next)).toBeUndefined();
  });
});
