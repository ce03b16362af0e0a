import { describe, expect, it } from '@jest/globals';
import { parseEntry, rfc3339 } from '../../../../functions/system/services/adapters/journal-entry.ts';
import { type Line, LineSplitter } from '../../../../functions/system/services/adapters/lines.ts';
import { MAX_MESSAGE_CHARS, messageText } from '../../../../functions/system/services/adapters/message.ts';

/** As journalctl 252 prints an entry with `--output-fields=MESSAGE,PRIORITY,_PID`. */
function line(message: unknown, more: Record<string, unknown> = {}): Line {
  const fields = {
    _PID: '9',
    __CURSOR: 's=bbee;i=9;b=0123;m=1f41;t=660c;x=2b20',
    PRIORITY: '6',
    __REALTIME_TIMESTAMP: '1795258771779123',
    MESSAGE: message,
    ...more,
  };
  return { text: JSON.stringify(fields) };
}

async function linesOf(chunks: Iterable<Buffer>): Promise<Line[]> {
  const splitter = new LineSplitter();
  const lines: Line[] = [];
  splitter.on('data', (one: Line) => lines.push(one));
  for (const chunk of chunks) splitter.write(chunk);
  await new Promise<void>((resolve) => splitter.end(resolve));
  return lines;
}

const inPieces = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

describe('An entry of the journal', () => {
  it('has a time with microseconds, a priority, a process and a message', () => {
    expect(parseEntry(line('hello'))).toEqual({
      timestamp: '2026-11-21T10:59:31.779123Z',
      priority: 6,
      pid: 9,
      message: 'hello',
    });
  });

  it.each([
    ['a string', 'multi\nline', 'multi\nline'],
    ['bytes that are no UTF-8', [98, 255, 99], 'b\ufffdc'],
    ['bytes with terminal colours', [...Buffer.from('\u001b[1;31mred\u001b[0m é')], 'red é'],
    ['null, too long without --all', null, ''],
    ['several messages', ['one', 'two'], 'one\ntwo'],
    ['several messages, one of bytes', ['one', [116, 119, 111]], 'one\ntwo'],
    ['absent', undefined, ''],
    ['something else', { a: 1 }, ''],
  ])('may have a message that is %s', (_what, message, text) => {
    expect(parseEntry(line(message))?.message).toBe(text);
  });

  it.each([
    [{ PRIORITY: undefined, _PID: undefined }, null, null],
    [{ PRIORITY: '8', _PID: '99999999999' }, null, null],
    [{ PRIORITY: 'high', _PID: '-1' }, null, null],
    [{ PRIORITY: ['3', '4'], _PID: ['7'] }, 3, 7],
  ])('may lack a priority or a process: %j', (more, priority, pid) => {
    expect(parseEntry(line('x', more))).toMatchObject({ priority, pid });
  });

  it.each(['', '-- No entries --', '[1]', 'null', '{"MESSAGE":"no time"}', '{"broken'])('is not %j', (text) => {
    expect(parseEntry({ text })).toBeUndefined();
  });

  it.each([
    [0, '1970-01-01T00:00:00.000000Z'],
    [1, '1970-01-01T00:00:00.000001Z'],
    [1795258771779045, '2026-11-21T10:59:31.779045Z'],
  ])('%d µs after the epoch is %s', (microseconds, text) => {
    expect(rfc3339(microseconds)).toBe(text);
  });
});

describe('A message', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b[38;5;196mcolour\u001b[K', 'colour'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b(Bplain\u001bM', 'plain'],
    ['a\u0000b\u0007c\u007fd\u009be', 'abcde'],
    ['tab\tstays', 'tab\tstays'],
    ['one\r\ntwo\rthree\n\n', 'one\ntwo\nthree'],
    ['cut \u001b', 'cut '],
  ])('%j is shown as %j', (message, text) => {
    expect(messageText(message)).toBe(text);
  });

  it('is cut when it is very long, never within a character', () => {
    const text = messageText(`${'x'.repeat(MAX_MESSAGE_CHARS - 1)}😀😀`);
    expect(text).toBe(`${'x'.repeat(MAX_MESSAGE_CHARS - 1)}… (cut)`);
  });
});

describe('Lines', () => {
  it.each([1, 2, 3, 7, 1000])('are complete however the bytes arrive, %d at a time', async (size) => {
    const bytes = Buffer.from('première\n\nsecond 😀\nunfinished');
    expect(await linesOf(inPieces(bytes, size))).toEqual([{ text: 'première' }, { text: '' }, { text: 'second 😀' }]);
  });

  const huge = 600_000;
  it.each([
    ['text', 'é"\\\n'.repeat(huge / 4), 'é"\\\n'],
    ['bytes', [...Buffer.alloc(huge, 'ab')], 'abab'],
  ])('that are very long keep the beginning of the message and the other fields: %s', async (_what, message, start) => {
    for (const order of [
      { ...JSON.parse(line(message).text) },
      { MESSAGE: message, ...JSON.parse(line(undefined).text) },
    ]) {
      const bytes = Buffer.from(`${JSON.stringify(order)}\n${line('next').text}\n`);
      const [long, next] = await linesOf(inPieces(bytes, 65_536));
      const entry = long && parseEntry(long);
      expect(entry).toMatchObject({ timestamp: '2026-11-21T10:59:31.779123Z', priority: 6, pid: 9 });
      expect(entry?.message.startsWith(start)).toBe(true);
      expect(entry?.message.length).toBeGreaterThan(50_000);
      expect(next && parseEntry(next)?.message).toBe('next');
    }
  });

  it('that are very long cannot make a message pass for another field', async () => {
    const message = `${'x'.repeat(300_000)}"__REALTIME_TIMESTAMP":"1","PRIORITY":"0"`;
    const [long] = await linesOf([Buffer.from(`${line(message).text}\n`)]);
    expect(long && parseEntry(long)).toMatchObject({ timestamp: '2026-11-21T10:59:31.779123Z', priority: 6 });
  });
});
