import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { openEvents } from '../support/events.ts';
import { JOURNAL_REMOTE, JournalWriter, journalSettings, writeJournal } from '../support/journal.ts';
import { processesWith, until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { SSHD, TestSshd } from '../support/sshd.ts';
import { temporaryFolder } from '../support/world.ts';

const UNIT = 'nav.service';
const SYSTEMS = ['head', 'base'] as const;

describeWith('systemd-journal-remote', JOURNAL_REMOTE, 'Following real journals', () => {
  describeWith('sshd', SSHD, 'on head, and on base over a real sshd', () => {
    const folder = temporaryFolder();
    const sshd = new TestSshd();
    const writers: Partial<Record<'head' | 'base', JournalWriter>> = {};
    let service: TestService;

    const open = async (system: string) =>
      openEvents(`${service.url}/api/v2/service/${system}/${UNIT}?follow=true`, await service.token('ADMIN'));
    const followersOf = (system: string) => processesWith(`--directory=${join(folder, system)}`);
    const write = async (system: 'head' | 'base', message: string | Buffer, unit = UNIT) =>
      writers[system]?.write([{ at: Date.now() * 1000, unit, message }]);

    beforeAll(async () => {
      for (const system of SYSTEMS) {
        const old = { at: (Date.now() - 5000) * 1000, unit: UNIT, message: 'written before' };
        await writeJournal(join(folder, system), [old], 'old');
        writers[system] = new JournalWriter(join(folder, system), 'new');
        await write(system, 'the first of a new file', 'other.service');
      }
      await sshd.start();
      service = await startTestService({
        settings: {
          ...journalSettings(join(folder, 'head'), join(folder, 'base'), 'head=nav.service;base=nav.service'),
          ...sshd.settings(),
        },
      });
    });
    afterAll(async () => {
      await service?.stop();
      await sshd.stop();
      for (const system of SYSTEMS) await writers[system]?.close();
    });

    describe.each(SYSTEMS)('on %s', (system) => {
      it('sends new entries, and ends the command when the client disconnects', async () => {
        const client = await open(system);
        await until('journalctl runs', () => followersOf(system).length > 0);
        await until('a line arrives', async () => {
          await write(system, Buffer.from('\u001b[31mnow\u001b[0m'));
          return client.data().length > 0;
        });
        await write(system, 'of another unit', 'other.service');
        await write(system, 'two\nlines');
        await until('the last line arrives', () => client.text().includes('two\\nlines'));

        const messages = client.data().map(({ message }) => message);
        expect(new Set(messages)).toEqual(new Set(['now', 'two\nlines']));
        client.leave();
        await until('nothing is left of it', () => followersOf(system).length === 0);
        await until('the request is over', () => service.inFlight.size === 0);
      });

      it('allows four followers, rejects a fifth, and has room again when one disconnects', async () => {
        const four = await Promise.all([1, 2, 3, 4].map(() => open(system)));
        const fifth = await open(system);
        expect([fifth.status, JSON.parse(fifth.text()).code]).toEqual([409, 'busy']);
        for (const client of four) client.leave();
        await until('all are gone', () => followersOf(system).length === 0);
        await until('there is room again', async () => {
          const another = await open(system);
          another.leave();
          return another.status === 200;
        });
        await until('all are gone', () => followersOf(system).length === 0);
      });
    });

    it('tells followers of base that it was lost, and lets them reconnect', async () => {
      const client = await open('base');
      await until('journalctl runs', () => followersOf('base').length > 0);
      await sshd.stop();
      await until('the end is told', () => client.text().includes('event: end'));
      expect(client.data().at(-1)).toEqual({ reason: expect.stringContaining('was lost') });

      await sshd.start();
      await until('it is back', async () => {
        const again = await open('base');
        again.leave();
        return again.status === 200;
      });
    });
  });
});
