import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { JOURNAL_REMOTE, type JournalEntry, journalSettings, writeJournal } from '../support/journal.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { SSHD, TestSshd } from '../support/sshd.ts';
import { temporaryFolder } from '../support/world.ts';

const UNIT = 'nav.service';
const MINUTE = 60_000_000;
/** Ten entries, ten minutes apart, the newest ten minutes old; every third is an error. */
const COUNT = 10;

const instant = (microseconds: number) =>
  `${new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1)}${String(microseconds % 1000).padStart(3, '0')}Z`;

function entriesBefore(newest: number): JournalEntry[] {
  return Array.from({ length: COUNT }, (_, index) => ({
    at: newest - (COUNT - index) * 10 * MINUTE + 123_456,
    unit: UNIT,
    message: index === 4 ? `line ${index} 100% [a-z]* "è" ${'x'.repeat(300_000)}` : `line ${index}`,
    priority: index % 3 === 0 ? 3 : 6,
  }));
}

describeWith('systemd-journal-remote', JOURNAL_REMOTE, 'Logs of a window', () => {
  describeWith('sshd', SSHD, 'on head, and on base over a real sshd', () => {
    const folder = temporaryFolder();
    const sshd = new TestSshd();
    const newest = Date.now() * 1000;
    const written = entriesBefore(newest);
    const at = (index: number) => instant(written[index]?.at ?? 0);
    let service: TestService;

    const read = async (system: string, query: Record<string, string>) => {
      const { status, json } = await service.as(
        'ADMIN',
        `/api/v2/service/${system}/${UNIT}?${new URLSearchParams(query)}`,
      );
      const numbers = json.entries?.map(({ message }: { message: string }) => Number(message.split(' ')[1]));
      return { status, json, numbers };
    };

    beforeAll(async () => {
      await Promise.all([
        writeJournal(join(folder, 'head'), written),
        writeJournal(join(folder, 'base'), written),
        sshd.start(),
      ]);
      const journals = journalSettings(
        join(folder, 'head'),
        join(folder, 'base'),
        `head=${UNIT},quiet.service;base=${UNIT}`,
      );
      service = await startTestService({ settings: { ...journals, ...sshd.settings() } });
    });
    afterAll(async () => {
      await service?.stop();
      await sshd.stop();
    });

    it.each(['head', 'base'])('of %s begin at since and end at until, to the microsecond', async (system) => {
      const { json, numbers } = await read(system, { since: at(2), until: at(5) });
      expect(numbers).toEqual([2, 3, 4, 5]);
      expect(json).toMatchObject({ truncated: false, cursor: expect.stringContaining(';t=') });
      const beside = instant((written[2]?.at ?? 0) + 1);
      expect((await read(system, { since: beside, until: at(5) })).numbers).toEqual([3, 4, 5]);
      expect((await read(system, { since: at(2), lines: '2', until: at(5) })).numbers).toEqual([4, 5]);
      expect((await read(system, { until: at(5) })).numbers).toEqual([0, 1, 2, 3, 4, 5]);
    });

    it.each(['head', 'base'])(
      'of %s are read on from the cursor of an answer, none twice and none left out',
      async (system) => {
        const seen: number[] = [];
        let query: Record<string, string> = { since: at(0), until: at(0) };
        for (let page = 0; page < 6; page += 1) {
          const { json, numbers } = await read(system, query);
          seen.push(...numbers);
          if (page > 0) expect(json.truncated).toBe(page < 3);
          query = { cursor: json.cursor, lines: '3' };
        }
        expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        const { json } = await read(system, query);
        expect([json.entries, json.cursor, json.truncated]).toEqual([[], query.cursor, false]);
        expect(json.since.slice(0, 23)).toBe(at(9).slice(0, 23));
      },
    );

    it.each(['head', 'base'])('of %s are filtered by priority and by literal text', async (system) => {
      expect((await read(system, { since: at(0), priority: '3' })).numbers).toEqual([0, 3, 6, 9]);
      expect((await read(system, { since: at(0), priority: '2' })).numbers).toEqual([]);
      expect((await read(system, { since: at(0), q: '100% [a-z]* "è"' })).numbers).toEqual([4]);
      expect((await read(system, { since: at(0), q: 'l.ne' })).numbers).toEqual([]);
      expect((await read(system, { since: at(0), q: 'LINE' })).numbers).toEqual([]);
      const { numbers, json } = await read(system, { since: at(0), q: 'line', priority: '3', lines: '2' });
      expect([numbers, json.truncated]).toEqual([[6, 9], true]);
      const first = await read(system, { since: at(0), until: at(0) });
      const after = await read(system, { cursor: first.json.cursor, q: 'line', priority: '3', lines: '2' });
      expect([after.numbers, after.json.truncated]).toEqual([[3, 6], true]);
    });

    it('are 200 and empty for a window without entries', async () => {
      expect(
        await read('head', { since: at(1).replace(/^\d{4}/, '1999'), until: '1999-12-31T00:00:00Z' }),
      ).toMatchObject({
        status: 200,
        numbers: [],
        json: { cursor: null },
      });
    });

    it('say that base is not available while its sshd is down', async () => {
      await sshd.stop();
      const { status, json } = await read('base', { since: at(0), q: 'line' });
      expect([status, json.code]).toEqual([503, 'component_unavailable']);
      expect(json.detail).toContain('"base"');
      await sshd.start();
    });
  });
});
