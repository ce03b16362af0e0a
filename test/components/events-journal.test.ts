import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { type EventClient, subscribeEvents } from '../support/event-client.ts';
import { JOURNAL_REMOTE, JournalWriter, writeJournal } from '../support/journal.ts';
import { processesWith, until } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const UNIT = 'nav.service';

describeWith('systemd-journal-remote', JOURNAL_REMOTE, 'Events of a real journal', () => {
  const folder = join(temporaryFolder(), 'head');
  let writer: JournalWriter;
  let service: TestService;
  const followers = () => processesWith(`--directory=${folder}`);
  const open = async () => subscribeEvents(service.url, [`logs/head/${UNIT}`], { token: await service.token('ADMIN') });
  const messages = (client: EventClient) => client.events().map(({ data }) => data.message);

  beforeAll(async () => {
    await writeJournal(folder, [{ at: (Date.now() - 5000) * 1000, unit: UNIT, message: 'written before' }], 'old');
    writer = new JournalWriter(folder, 'new');
    await writer.write([{ at: Date.now() * 1000, unit: 'other.service', message: 'of another unit' }]);
    service = await startTestService({
      settings: {
        SERVICE_MODE: 'robot',
        SERVICE_HOST: '127.0.0.1',
        SERVICE_JOURNAL_DIR: folder,
        SERVICE_ALLOWED_UNITS: `head=${UNIT}`,
      },
    });
  });
  afterAll(async () => {
    await service?.stop();
    await writer?.close();
  });

  it('reach two subscribers through one journalctl, which ends with the service', async () => {
    const clients = [await open(), await open()];
    await until('journalctl runs', () => followers().length > 0);
    await until('both have a new entry', async () => {
      await writer.write([{ at: Date.now() * 1000, unit: UNIT, message: 'now' }]);
      return clients.every((client) => messages(client).includes('now'));
    });
    expect(messages(clients[0] as EventClient)).not.toContain('written before');
    expect(followers()).toHaveLength(1);
    await service.stop();
    await until('journalctl has ended', () => followers().length === 0);
  });
});
