import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { AuditFile } from '../../functions/shared/adapters/audit-trail/file.ts';
import { fileRecord } from '../../functions/shared/adapters/wifi-record/file.ts';
import { homeWithRobots, openAt } from '../support/database-file.ts';
import { freshEnvironment, launch, startProcess } from '../support/process.ts';
import { untilExists } from '../support/processes.ts';
import { sourceUrl, startModule } from '../support/run-source.ts';
import { silentLogger, temporaryFolder, testConfig } from '../support/world.ts';

const KILLS = 8;
const LONGEST_WAIT_MS = 120;

/** Starts a writer that works without end, kills it in the middle of its work, and gives the lines it has told. */
async function killed(code: string, environment: Record<string, string> = {}): Promise<string[]> {
  const writer = startModule(code, environment);
  let over = false;
  void writer.ended.then(() => {
    over = true;
  });
  while (!writer.stdout().includes('\n') && !over) await pause(5);
  await pause(Math.random() * LONGEST_WAIT_MS);
  writer.child.kill('SIGKILL');
  const { signal, stdout, stderr } = await writer.ended;
  expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

const LOGGER = `
  import { createLogger } from '${sourceUrl('functions/shared/logger.ts')}';
  const logger = createLogger('silent');`;

describe('kill -9', () => {
  it('during an export leaves the old file or the new one as a whole, and the next start sweeps up', async () => {
    const home = temporaryFolder();
    await homeWithRobots(home, 5_000, 'red');
    const exports = testConfig({ HOME: home }).SERVICE_EXPORT_DIR;
    const code = `${LOGGER}
      import { openDatabase } from '${sourceUrl('functions/shared/adapters/database/open.ts')}';
      import { loadConfig } from '${sourceUrl('functions/shared/config.ts')}';
      const database = await openDatabase(loadConfig(process.env).config, logger, Date.now);
      for (;;) {
        await database.exportTables({ table: 'robots_table' }, 'robots.csv');
        console.log('exported');
      }`;
    let whole: string | undefined;
    for (let kill = 0; kill < KILLS; kill++) {
      await killed(code, { HOME: home });
      const text = readFileSync(join(exports, 'robots.csv'), 'utf8');
      whole ??= text;
      expect(text.split('\r\n')).toHaveLength(5_002);
      expect(text === whole).toBe(true);
    }
    const database = await openAt(home);
    await database.exportTables({ table: 'robots_table' }, 'robots.csv');
    await database.close();
    expect(readdirSync(exports)).toEqual(['robots.csv']);
  });

  it('during writes to the audit trail loses no entry that was read back, and the next entry stands on a line of its own', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl');
    const code = `${LOGGER}
      import { AuditFile } from '${sourceUrl('functions/shared/adapters/audit-trail/file.ts')}';
      import { stamp } from '${sourceUrl('functions/shared/adapters/audit-trail/port.ts')}';
      const trail = new AuditFile('${path}', logger);
      for (;;) {
        const entry = { ...stamp(Date.now()), action: 'command', subject: { text: 'x'.repeat(300) }, outcome: 'ok' };
        trail.append(entry);
        await trail.close();
        console.log(entry.id);
      }`;
    const told: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      told.push(...(await killed(code)));
      const { entries } = await new AuditFile(path, silentLogger).read({ limit: 100_000 });
      const kept = new Set(entries.map(({ id }) => id));
      expect(told.filter((id) => !kept.has(id))).toEqual([]);
    }
  });

  it('during a Wi-Fi configure leaves a record that can be read and says that it was interrupted, or how it went', async () => {
    const path = join(temporaryFolder(), 'last.json');
    const code = `${LOGGER}
      import { fileRecord } from '${sourceUrl('functions/shared/adapters/wifi-record/file.ts')}';
      const record = fileRecord('${path}', Date.now, logger);
      for (;;) {
        await record.start('Workshop');
        await record.finish('connected');
        console.log('finished');
      }`;
    for (let kill = 0; kill < KILLS; kill++) {
      await killed(code);
      const last = await fileRecord(path, Date.now, silentLogger).last();
      expect(last?.ssid).toBe('Workshop');
      expect(['connected', 'interrupted']).toContain(last?.outcome);
    }
    expect(readdirSync(dirname(path)).filter((name) => !/^last\.json(\.new)?$/.test(name))).toEqual([]);
  });

  it('during the first start of a robot leaves a first key that opens the next one', async () => {
    for (let round = 0; round < KILLS; round++) {
      const HOME = temporaryFolder();
      const environment = freshEnvironment({ HOME, SERVICE_MODE: 'robot', SERVICE_HOST: '127.0.0.1' });
      mkdirSync(join(HOME, '.robot-rest'), { mode: 0o700 });
      const { child } = launch([], environment);
      await pause(150 + round * 40);
      child.kill('SIGKILL');
      const service = await startProcess(environment);
      await untilExists(join(HOME, '.robot-rest', 'api-keys.json')); // seconds, when the killed one held the lock
      const key = readFileSync(join(HOME, '.robot-rest', 'first-api-key'), 'utf8').trim();
      const answer = await fetch(`${service.url}/api/v2/auth/`, { headers: { 'x-api-key': key } });
      expect([round, answer.status]).toEqual([round, 200]);
      await service.end();
    }
  });
});
