import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { http } from '../support/http.ts';
import { JOURNAL_REMOTE, type JournalEntry, JournalWriter, writeJournal } from '../support/journal.ts';
import { memoryGrowth } from '../support/memory-growth.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { processesWith, until } from '../support/processes.ts';
import { SSHD, TestSshd } from '../support/sshd.ts';
import { temporaryFolder } from '../support/world.ts';

const MIB = 1024 ** 2;
const UNIT = 'nav.service';
const OTHER_UNITS = ['arm.service', 'eyes.service', 'legs.service'];

function* entries(
  count: number,
  message: (index: number) => string | Buffer,
  unitOf: (index: number) => string = () => UNIT,
): Generator<JournalEntry> {
  const begin = Date.now() * 1000 - count;
  for (let index = 0; index < count; index++) yield { at: begin + index, unit: unitOf(index), message: message(index) };
}

describeWith('systemd-journal-remote', JOURNAL_REMOTE, 'The memory of a service while its logs are read', () => {
  describeWith('sshd', SSHD, 'on head, and on base over a real sshd', () => {
    const folder = temporaryFolder();
    const sshd = new TestSshd();
    let service: ServiceProcess;
    let token: string;

    function ask(path: string, body?: object): Promise<IncomingMessage> {
      const asked = request(`${service.url}/api/v2/${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        agent: false,
      });
      asked.end(body && JSON.stringify(body));
      return once(asked, 'response').then(([response]) => response as IncomingMessage); // as: what node:http emits
    }

    const open = (path: string) => ask(`service/${path}`);

    /** Reads and forgets. @returns bytes received. */
    async function sizeOf(stream: Readable): Promise<number> {
      let size = 0;
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length;
      });
      await once(stream, 'end');
      return size;
    }

    const drain = async (path: string) => sizeOf(await open(path));

    /** The size of an incident bundle when it is unzipped. */
    async function bundle(body: object): Promise<number> {
      const unzipped = createGunzip();
      const [size] = await Promise.all([sizeOf(unzipped), pipeline(await ask('incident/', body), unzipped)]);
      return size;
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
        writeJournal(
          join(folder, 'large'),
          entries(
            9_000,
            () => text,
            (index) => OTHER_UNITS[index % OTHER_UNITS.length] ?? '',
          ),
          'others',
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
      const grown = await memoryGrowth(service.child.pid, async () => {
        for (let round = 0; round < 2; round++) size += await drain(`head/${UNIT}`);
      });
      expect(size).toBeGreaterThan(2 * 70_000_000);
      expect(grown).toBeLessThan(64 * MIB);
    });

    it('stays constant over a journal of 100 000 entries of base, read by five clients at once', async () => {
      const grown = await memoryGrowth(service.child.pid, () =>
        Promise.all([1, 2, 3, 4, 5].map(() => drain(`base/${UNIT}`))),
      );
      expect(grown).toBeLessThan(64 * MIB);
    });

    it('stays constant while an incident is bundled whose logs on head and base are large', async () => {
      const units = [UNIT, ...OTHER_UNITS];
      await bundle({ units }); // four journals at once: what their readers and gzip take once
      let size = 0;
      const grown = await memoryGrowth(service.child.pid, async () => {
        size = await bundle({ units });
      });
      process.stdout.write(`bundling ${Math.round(size / MIB)} MiB took ${Math.round(grown / MIB)} MiB\n`);
      expect(size).toBeGreaterThan(140_000_000);
      expect(grown).toBeLessThan(64 * MIB);
    });

    it('stays constant while a follower does not read, and is freed when it disconnects', async () => {
      const writer = new JournalWriter(join(folder, 'large'), 'new');
      const grown = await memoryGrowth(service.child.pid, async () => {
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
