import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { JOURNAL_REMOTE, type JournalEntry, journalSettings, writeJournal } from '../support/journal.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { SSHD, TestSshd } from '../support/sshd.ts';
import { temporaryFolder } from '../support/world.ts';

const UNIT = 'nav.service';
/** Two hours of entries, the younger half of them within the window. */
const COUNT = 100_000;
const STEP = 72_000;

function* manyEntries(newest: number): Generator<JournalEntry> {
  for (let index = 0; index < COUNT; index++) {
    const at = newest - (COUNT - 1 - index) * STEP;
    yield { at, unit: index % 2 === 0 ? UNIT : 'drive.service', message: `line ${index}`, pid: index + 1 };
  }
}

const SECOND = 1_000_000;

function aroundTheWindow(newest: number): JournalEntry[] {
  return [7_200, 3_660, 3_540, 1].map((ago) => ({
    at: newest - ago * SECOND,
    unit: 'window.service',
    message: `${ago} s ago`,
  }));
}

/** Messages that journalctl prints as a string, as bytes, and only when asked for all of them. */
function forms(newest: number): JournalEntry[] {
  const messages = [
    'è un messaggio 😀',
    'two\nlines',
    Buffer.from('\u001b[1;31mred\u001b[0m'),
    Buffer.from([0x62, 0xff, 0x63]),
    'x'.repeat(5_000),
    'y'.repeat(600_000),
    '',
  ];
  return messages.map((message, index) => ({ at: newest - 10_000 + index, unit: 'forms.service', message }));
}

describeWith('systemd-journal-remote', JOURNAL_REMOTE, 'Logs of real journals', () => {
  describeWith('sshd', SSHD, 'on head, and on base over a real sshd', () => {
    const folder = temporaryFolder();
    const sshd = new TestSshd();
    const newest = Date.now() * 1000;
    let service: TestService;

    const read = (path: string, headers = {}) => service.as('ADMIN', `/api/v2/service/${path}`, { headers });

    beforeAll(async () => {
      await Promise.all([
        writeJournal(join(folder, 'head'), manyEntries(newest)),
        writeJournal(join(folder, 'base'), [
          { at: newest - 3000, unit: UNIT, message: 'from base' },
          { at: newest - 2000, unit: 'other.service', message: 'not asked for' },
        ]),
        writeJournal(join(folder, 'head'), forms(newest), 'forms'),
        writeJournal(join(folder, 'head'), aroundTheWindow(newest), 'window'),
        sshd.start(),
      ]);
      service = await startTestService({
        settings: {
          ...journalSettings(
            join(folder, 'head'),
            join(folder, 'base'),
            'head=nav.service,forms.service,window.service,quiet.service;base=nav.service',
          ),
          ...sshd.settings(),
        },
      });
    });
    afterAll(async () => {
      await service?.stop();
      await sshd.stop();
    });

    it('returns the newest 10 000 entries of the last hour, oldest first, and says that there are more', async () => {
      const { status, json } = await read(`head/${UNIT}`);
      expect(status).toBe(200);
      expect(json).toMatchObject({ system: 'head', service: UNIT, truncated: true });
      expect(json.entries).toHaveLength(10_000);
      const numbers = json.entries.map(({ message }: { message: string }) => Number(message.slice(5)));
      expect(numbers.at(-1)).toBe(COUNT - 2);
      expect(numbers.every((number: number, index: number) => number === COUNT - 2 * (10_000 - index))).toBe(true);
      expect(json.entries.at(-1)).toEqual({
        timestamp: new Date((newest - STEP) / 1000).toISOString().replace(/Z$/, '000Z'),
        priority: 6,
        pid: COUNT - 1,
        message: `line ${COUNT - 2}`,
      });
    });

    it('returns the newest entries up to the requested number', async () => {
      const { json } = await read(`head/${UNIT}?lines=3`);
      expect(json.truncated).toBe(true);
      expect(json.entries.map(({ message }: { message: string }) => message)).toEqual([
        `line ${COUNT - 6}`,
        `line ${COUNT - 4}`,
        `line ${COUNT - 2}`,
      ]);
    });

    it('returns plain text on request', async () => {
      const { headers, text } = await read(`head/${UNIT}?lines=2`, { accept: 'text/plain' });
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(text).toMatch(/^\S+Z \[\d+\] line 99996\n\S+Z \[\d+\] line 99998\n$/);
    });

    it('returns only the last hour', async () => {
      const { json } = await read('head/window.service');
      expect(json.truncated).toBe(false);
      expect(json.entries.map(({ message }: { message: string }) => message)).toEqual(['3540 s ago', '1 s ago']);
    });

    it('returns every kind of message as text', async () => {
      const { json } = await read('head/forms.service');
      const messages = json.entries.map(({ message }: { message: string }) => message);
      expect(messages.toSpliced(5, 1)).toEqual([
        'è un messaggio 😀',
        'two\nlines',
        'red',
        'b\ufffdc',
        'x'.repeat(5_000),
        '',
      ]);
      expect(messages[5]).toBe(`${'y'.repeat(65_536)}… (cut)`);
    });

    it('serves more clients at once than sshd has sessions', async () => {
      const answers = await Promise.all(Array.from({ length: 24 }, () => read(`base/${UNIT}`)));
      expect(answers.map(({ status, json }) => [status, json.entries.length])).toEqual(Array(24).fill([200, 1]));
    });

    it('returns an empty list for an allowed unit without entries', async () => {
      const { status, json } = await read('head/quiet.service');
      expect([status, json.entries, json.truncated]).toEqual([200, [], false]);
    });

    it('reads the journals of base and head at the same time', async () => {
      const [head, base] = await Promise.all([read(`head/${UNIT}?lines=1`), read(`base/${UNIT}`)]);
      expect(head.json.entries).toHaveLength(1);
      expect(base.json).toMatchObject({ system: 'base', truncated: false });
      expect(base.json.entries.map(({ message }: { message: string }) => message)).toEqual(['from base']);
    });

    it('serves head while the sshd of base is down, says why base is unavailable, and reconnects', async () => {
      await sshd.stop();
      const away = await read(`base/${UNIT}`);
      expect([away.status, away.json.code]).toEqual([503, 'component_unavailable']);
      expect(away.json.detail).toContain('"base"');
      expect((await read(`head/${UNIT}?lines=1`)).status).toBe(200);

      await sshd.start();
      let again = await read(`base/${UNIT}`);
      for (let attempt = 0; again.status !== 200 && attempt < 200; attempt++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        again = await read(`base/${UNIT}`);
      }
      expect(again.json.entries).toHaveLength(1);
    });
  });
});
