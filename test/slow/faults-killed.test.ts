import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { AuditFile } from '../../functions/shared/observability/adapters/audit-trail/file.ts';
import { fileRecord } from '../../functions/system/network/adapters/wifi-record-file.ts';
import { homeWithRobots, openAt, REQUESTER } from '../support/database-file.ts';
import { ageLock } from '../support/locks.ts';
import { freshEnvironment, launch, startProcess } from '../support/process.ts';
import { untilExists } from '../support/processes.ts';
import { Random } from '../support/random.ts';
import { sourcePath, startModule } from '../support/run-source.ts';
import { silentLogger, temporaryFolder, testConfig } from '../support/world.ts';

const KILLS = 6;
const LONGEST_WAIT_MS = 120;
const random = new Random(20_261_123);

/** Starts a writer that works without end, kills it in the middle of its work, and gives the lines it has told. */
async function killed(code: string, environment: Record<string, string> = {}): Promise<string[]> {
  const writer = startModule(code, environment);
  let over = false;
  void writer.ended.then(() => {
    over = true;
  });
  while (!writer.stdout().includes('\n') && !over) await pause(5);
  await pause(random.below(LONGEST_WAIT_MS));
  writer.child.kill('SIGKILL');
  const { signal, stdout, stderr } = await writer.ended;
  expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

const LOGGER = `
  import { createLogger } from '${sourcePath('functions/shared/observability/logger.ts')}';
  const logger = createLogger('silent');`;

describe('kill -9', () => {
  it('during an export leaves the old or the new file, and the next start cleans up', async () => {
    const home = temporaryFolder();
    await homeWithRobots(home, 5_000, 'red');
    const exports = testConfig({ HOME: home }).SERVICE_EXPORT_DIR;
    const code = `${LOGGER}
      import { openDatabase } from '${sourcePath('functions/database/adapters/open.ts')}';
      import { loadConfig } from '${sourcePath('functions/shared/config.ts')}';
      const database = await openDatabase(loadConfig(process.env).config, logger, Date.now);
      for (;;) {
        await database.exportTables({ table: 'robots_table' }, 'robots.csv', { signal: new AbortController().signal, owner: 'key-1' });
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
    await database.exportTables({ table: 'robots_table' }, 'robots.csv', REQUESTER);
    await database.close();
    expect(readdirSync(exports)).toEqual(['robots.csv']);
  });

  it('during audit writes loses no entry that was read back, and the next entry is on its own line', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl');
    const code = `${LOGGER}
      import { AuditFile } from '${sourcePath('functions/shared/observability/adapters/audit-trail/file.ts')}';
      import { stamp } from '${sourcePath('functions/shared/observability/audit-trail.port.ts')}';
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

  it('during a Wi-Fi configuration leaves a readable record of the outcome or interruption', async () => {
    const path = join(temporaryFolder(), 'last.json');
    const code = `${LOGGER}
      import { fileRecord } from '${sourcePath('functions/system/network/adapters/wifi-record-file.ts')}';
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
    const leftovers = readdirSync(dirname(path)).filter((name) => name !== 'last.json');
    expect(leftovers.length).toBeLessThan(2); // of the last kill; each write removes those before it
  });

  it('during the first start of a robot leaves a first key that works after the next start', async () => {
    for (let round = 0; round < KILLS; round++) {
      const HOME = temporaryFolder();
      const environment = freshEnvironment({ HOME, SERVICE_MODE: 'robot', SERVICE_HOST: '127.0.0.1' });
      mkdirSync(join(HOME, '.robot-rest'), { mode: 0o700 });
      const { child } = launch([], environment);
      await pause(150 + round * 60);
      child.kill('SIGKILL');
      const keys = join(HOME, '.robot-rest', 'api-keys.json');
      ageLock(keys);
      const service = await startProcess(environment);
      await untilExists(keys);
      const key = readFileSync(join(HOME, '.robot-rest', 'first-api-key'), 'utf8').trim();
      const answer = await fetch(`${service.url}/api/v2/auth/`, { headers: { 'x-api-key': key } });
      expect([round, answer.status]).toEqual([round, 200]);
      await service.end();
    }
  });
});
