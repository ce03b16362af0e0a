import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { CommandFailure, type Exit, type Running } from '../../../../functions/shared/kit/child-process/running.ts';
import { JournalReader } from '../../../../functions/system/services/adapters/journal.ts';
import type { Command, Machine } from '../../../../functions/system/services/adapters/machine.ts';

const never = new AbortController().signal;
const entry = (number: number) =>
  `${JSON.stringify({ __CURSOR: `c${number}`, __REALTIME_TIMESTAMP: `${number}000000`, PRIORITY: '6', MESSAGE: `line ${number}` })}\n`;

interface Said {
  readonly stdout?: string | Error;
  readonly exit?: Partial<Exit> | Error;
}

/** A computer whose commands say what the test tells them to, one after the other. */
function machine(...said: readonly (Said | Error)[]): Machine & { readonly started: Command[] } {
  const started: Command[] = [];
  const left = [...said];
  return {
    system: 'head',
    journalDir: undefined,
    started,
    async start(words): Promise<Running> {
      started.push(words);
      const now = left.shift() ?? {};
      if (now instanceof Error) throw now;
      const { stdout = '', exit = {} } = now;
      const failed = stdout instanceof Error ? stdout : undefined;
      const ended = exit instanceof Error ? Promise.reject(exit) : Promise.resolve({ code: 0, stderr: '', ...exit });
      ended.catch(() => undefined);
      const out = new Readable({
        read() {
          if (failed) this.destroy(failed);
          else {
            this.push(stdout);
            this.push(null);
          }
        },
      });
      return { stdout: out, exit: ended, stop: () => out.destroy() };
    },
    close: () => undefined,
  };
}

const messages = async (entries: Readable) => {
  const found: string[] = [];
  for await (const { message } of entries) found.push(message);
  return found;
};

describe('A page of the journal', () => {
  it('begins at the oldest wanted entry and reports when there were more', async () => {
    const head = machine({ stdout: entry(3) + entry(2) + entry(1) }, { stdout: entry(2) + entry(3) });
    const { entries, truncated } = await new JournalReader(head).page('a.service', { lines: 2 }, never);
    expect([await messages(entries), truncated]).toEqual([['line 2', 'line 3'], true]);
    expect(head.started[1]).toEqual(expect.arrayContaining(['--cursor=c2', '--lines=2']));
  });

  it('after a cursor leaves out the entry of the cursor, and says when there are newer ones', async () => {
    const after = machine(
      { stdout: entry(1) + entry(2) + entry(3) + entry(4) },
      { stdout: entry(2) + entry(3) + entry(4) },
    );
    const page = await new JournalReader(after).page('a.service', { lines: 2, after: 'c1' }, never);
    expect([await messages(page.entries), page.truncated, page.cursor]).toEqual([['line 2', 'line 3'], true, 'c3']);
    const gone = machine({ stdout: entry(2) }, { stdout: entry(2) });
    const { entries } = await new JournalReader(gone).page('a.service', { lines: 2, after: 'c1' }, never);
    expect(await messages(entries)).toEqual(['line 2']);
  });

  it('is empty for a silent unit in an existing journal', async () => {
    const { entries, truncated } = await new JournalReader(machine({}, { stdout: entry(1) })).page(
      'a.service',
      { lines: 2 },
      never,
    );
    expect([await messages(entries), truncated]).toEqual([[], false]);
  });

  it('is 503 when the journal is empty or unreadable', async () => {
    const page = new JournalReader(machine({}, {})).page('a.service', { lines: 2 }, never);
    await expect(page).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringContaining('systemd-journal'),
    });
  });

  it.each<[string, Said, string]>([
    ['says why it failed', { exit: { code: 1, stderr: 'No journal files.\nmore' } }, 'journalctl: No journal files.'],
    ['fails without a word', { exit: { code: 3 } }, 'journalctl: exit code 3'],
  ])('is 503 when journalctl %s', async (_how, said, message) => {
    await expect(new JournalReader(machine(said)).page('a.service', { lines: 2 }, never)).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringContaining(message),
    });
  });

  it('that fails during the search says why the command ended', async () => {
    const why = new CommandFailure('time-limit', '"journalctl" did not end within 30 s');
    const page = new JournalReader(machine({ stdout: new Error('broken'), exit: why })).page(
      'a.service',
      { lines: 2 },
      never,
    );
    await expect(page).rejects.toBe(why);
    const silent = new JournalReader(machine({ stdout: new Error('broken') })).page('a.service', { lines: 2 }, never);
    await expect(silent).rejects.toThrow('broken');
  });

  it('of a journalctl without cursors is an error, not a wrong page', async () => {
    const page = new JournalReader(machine({ stdout: '{"PRIORITY":"6"}\n' })).page('a.service', { lines: 2 }, never);
    await expect(page).rejects.toThrow('without a cursor');
  });

  it.each<[string, Partial<Exit> | Error, RegExp]>([
    ['ends with a code', { code: 1 }, /ended with code 1/],
    ['takes too long', new CommandFailure('time-limit', '"journalctl" did not end within 120 s'), /120 s.*Try again/],
  ])('whose command %s while being sent is aborted visibly', async (_how, exit, message) => {
    const head = machine({ stdout: entry(1) }, { stdout: entry(1), exit });
    const { entries } = await new JournalReader(head).page('a.service', { lines: 2 }, never);
    await expect(messages(entries)).rejects.toThrow(message);
  });
});

describe('Following a unit', () => {
  it('releases its slot when the command cannot be started', async () => {
    const away = () => new CommandFailure('unreachable', 'It is off.');
    const reader = new JournalReader(machine(...Array.from({ length: 6 }, away), { stdout: entry(1) }));
    for (let client = 0; client < 6; client += 1) {
      await expect(reader.follow('a.service', {}, never)).rejects.toThrow('It is off.');
    }
    expect(await messages(await reader.follow('a.service', {}, never))).toEqual(['line 1']);
  });
});
