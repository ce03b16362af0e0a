import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { http } from '../support/http.ts';
import { JOURNAL_REMOTE, type JournalEntry, JournalWriter, writeJournal } from '../support/journal.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { processesWith, until } from '../support/processes.ts';
import { SSHD, TestSshd } from '../support/sshd.ts';
import { temporaryFolder } from '../support/world.ts';

const MIB = 1024 ** 2;
const UNIT = 'nav.service';

function* entries(count: number, message: (index: number) => string | Buffer): Generator<JournalEntry> {
  const begin = Date.now() * 1000 - count;
  for (let index = 0; index < count; index++) yield { at: begin + index, unit: UNIT, message: message(index) };
}

describeWith('systemd-journal-remote', JOURNAL_REMOTE, 'The memory of a service while its logs are read', () => {
  describeWith('sshd', SSHD, 'on head, and on base over a real sshd', () => {
    const folder = temporaryFolder();
    const sshd = new TestSshd();
    let service: ServiceProcess;
    let token: string;

    const rss = () => {
      const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    };

    function open(path: string): Promise<IncomingMessage> {
      const request = get(`${service.url}/api/v2/service/${path}`, {
        headers: { authorization: `Bearer ${token}` },
        agent: false,
      });
      return once(request, 'response').then(([response]) => response as IncomingMessage); // as: what node:http emits
    }

    /** Reads and forgets. @returns bytes received. */
    async function drain(path: string): Promise<number> {
      const response = await open(path);
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
      });
      await once(response, 'end');
      return size;
    }

    /** The most that the memory grows while something happens, in bytes. */
    async function growth(work: () => Promise<unknown>): Promise<number> {
      const before = rss();
      let most = before;
      const timer = setInterval(() => {
        most = Math.max(most, rss());
      }, 20);
      await work();
      clearInterval(timer);
      return most - before;
    }

    beforeAll(async () => {
      const text = Buffer.alloc(8_000, 'text ');
      const colours = Buffer.from(`\u001b[31m${'colour '.repeat(1_000)}`);
      await Promise.all([
        writeJournal(
          join(folder, 'many'),
          entries(100_000, (index) => `line ${index}`),
        ),
        writeJournal(
          join(folder, 'large'),
          entries(12_000, (index) => (index % 2 === 0 ? text : colours)),
        ),
        sshd.start(),
      ]);
      service = await startProcess({
        SERVICE_MODE: 'robot',
        SERVICE_HOST: '127.0.0.1',
        SERVICE_LOG_LEVEL: 'silent',
        SERVICE_JOURNAL_DIR: join(folder, 'large'),
        SERVICE_BASE_JOURNAL_DIR: join(folder, 'many'),
        SERVICE_ALLOWED_UNITS: 'head=*.service;base=*.service',
        ...sshd.settings(),
      });
      token = (await http(service.socketPath, '/api/v2/auth/')).json.token;
      for (const system of ['head', 'base']) await drain(`${system}/${UNIT}?lines=500`);
    });
    afterAll(async () => {
      await service?.end();
      await sshd.stop();
    });

    it('stays constant over 10 000 large entries of head, read twice', async () => {
      let size = 0;
      const grown = await growth(async () => {
        for (let round = 0; round < 2; round++) size += await drain(`head/${UNIT}`);
      });
      expect(size).toBeGreaterThan(2 * 70_000_000);
      expect(grown).toBeLessThan(64 * MIB);
    });

    it('stays constant over a journal of 100 000 entries of base, read by five clients at once', async () => {
      const grown = await growth(() => Promise.all([1, 2, 3, 4, 5].map(() => drain(`base/${UNIT}`))));
      expect(grown).toBeLessThan(64 * MIB);
    });

    it('stays constant while a follower does not read, and is freed when it disconnects', async () => {
      const writer = new JournalWriter(join(folder, 'large'), 'new');
      const grown = await growth(async () => {
        const response = await open(`head/${UNIT}?follow=true`);
        response.pause();
        await until('journalctl runs', () => processesWith(join(folder, 'large')).length > 1);
        const line = 'x'.repeat(20_000);
        await writer.write(entries(5_000, () => line));
        await writer.close();
        response.destroy();
        await until('nothing is left of it', () => processesWith(`--directory=${join(folder, 'large')}`).length === 0);
      });
      expect(grown).toBeLessThan(64 * MIB);
    });
  });
});
