import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { databaseFile, homeWithRobots, inFile, openAt, REQUESTER } from '../support/database-file.ts';
import { Random } from '../support/random.ts';
import { type Started, sourcePath, startModule } from '../support/run-source.ts';
import { temporaryFolder } from '../support/world.ts';

const ROWS = 10_000;
const ROUNDS = 7; // of each of four kinds: 28 kills
/** Longer than each of the works takes on a quick machine, so that kills hit all of its phases. */
const LONGEST_WAIT_MS = 300;
const AFTER_SNAPSHOT_MS = 50;
const random = new Random(20_261_123);

const home = temporaryFolder();
const dataDir = dirname(databaseFile(home));

beforeAll(async () => {
  await homeWithRobots(home, ROWS, 'red');
  mkdirSync(join(dataDir, 'exports'), { recursive: true });
  for (const color of ['red', 'blue']) {
    const lines = Array.from({ length: ROWS }, (_, n) => `${n + 1},robot number ${n + 1},${color}`);
    writeFileSync(join(dataDir, 'exports', `${color}.csv`), `id,name,color\r\n${lines.join('\r\n')}\r\n`);
  }
});

/** A process that does one kind of work on the database over and over, and tells of each beginning and each success. */
function working(loop: string): Started {
  const code = `
    import { writeSync } from 'node:fs';
    import { openDatabase } from '${sourcePath('functions/database/adapters/open.ts')}';
    import { loadConfig } from '${sourcePath('functions/shared/config.ts')}';
    import { createLogger } from '${sourcePath('functions/shared/observability/logger.ts')}';
    const { config } = loadConfig(process.env);
    const database = await openDatabase(config, createLogger('silent'), Date.now);
    if (database.problem()) throw new Error(database.problem());
    const table = 'robots_table';
    const requester = { signal: new AbortController().signal, owner: 'key-1' };
    const tell = (word, value) => writeSync(1, word + ' ' + value + '\\n');
    ${loop}`;
  return startModule(code, { HOME: home, SERVICE_BACKUP_MAX_BYTES: String(2 ** 40) });
}

const newestSnapshot = () =>
  readdirSync(join(dataDir, 'backups'))
    .filter((name) => !name.startsWith('unfinished'))
    .sort()
    .at(-1);

/** A random moment of the work. */
const anytime = () => pause(random.below(LONGEST_WAIT_MS));

/** A random moment soon after the next snapshot, which is when a restore begins to change rows. */
async function afterSnapshot(hasEnded: () => boolean) {
  const before = newestSnapshot();
  while (newestSnapshot() === before && !hasEnded()) await pause(1);
  await pause(random.below(AFTER_SNAPSHOT_MS));
}

/** Kills the process at such a moment; what it began and what was acknowledged to it. */
async function killed(process: Started, moment: (hasEnded: () => boolean) => Promise<unknown> = anytime) {
  let ended = false;
  void process.ended.then(() => {
    ended = true;
  });
  while (!process.stdout().includes('begin') && !ended) await pause(2);
  await moment(() => ended);
  process.child.kill('SIGKILL');
  const { signal, stdout, stderr } = await process.ended;
  expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
  const told = stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '));
  const last = (word: string) => told.filter(([said]) => said === word).at(-1)?.[1];
  return { begun: last('begin'), done: last('done') };
}

/** A restart: the service's own check of the file passes, and what the table holds then. */
async function afterRestart() {
  const database = await openAt(home);
  expect(database.problem()).toBeUndefined();
  await database.close();
  expect(readdirSync(join(dataDir, 'backups')).filter((name) => name.startsWith('unfinished'))).toEqual([]);
  return inFile(home, (file) => {
    expect(file.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(file.pragma('foreign_key_check')).toEqual([]);
    return groups(file);
  });
}

function groups(file: Database.Database): Array<{ color: string; n: number }> {
  const rows = file.prepare('select color, count(*) as n from robots_table group by color').all();
  return rows as Array<{ color: string; n: number }>; // as: the columns of the select
}

describe.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))('kill -9, round %d', (round) => {
  it('during an import leaves either the old or the new table', async () => {
    const before = inFile(home, groups)[0]?.color;
    const { begun, done } = await killed(
      working(`for (let n = ${round}; ; n++) {
        const color = n % 2 === 0 ? 'red' : 'blue';
        tell('begin', color);
        await database.importTables({ table }, color + '.csv', requester);
        tell('done', color);
      }`),
    );
    const [group, ...others] = await afterRestart();
    expect(others).toEqual([]);
    expect(group?.n).toBe(ROWS);
    expect([begun, done ?? before]).toContain(group?.color);
    if (begun === done) expect(group?.color).toBe(done);
  });

  it('during updates loses no acknowledged update', async () => {
    const { begun, done } = await killed(
      working(`for (let n = 1; ; n++) {
        tell('begin', n);
        const row = await database.update(table, 1, { name: String(n) });
        tell('done', row.name);
      }`),
    );
    await afterRestart();
    const name = inFile(home, (file) => file.prepare('select name from robots_table where id = 1').pluck().get());
    if (done !== undefined) expect([done, begun]).toContain(name);
  });

  it('during a clear leaves all rows, or no rows and a snapshot with all', async () => {
    const { done } = await killed(
      working(`for (;;) {
        tell('begin', 'clear');
        const { backup } = await database.clear({ table });
        tell('done', backup);
        await database.restore(backup, requester);
        tell('begin', 'restored');
        await new Promise(() => setInterval(() => {}, 1000));
      }`),
    );
    const left = await afterRestart();
    const total = left.reduce((sum, { n }) => sum + n, 0);
    expect([0, ROWS]).toContain(total);
    if (total === ROWS) return;
    const folder = join(dataDir, 'backups');
    const newest = readdirSync(folder).sort().at(-1) ?? '';
    if (done !== undefined) expect(newest >= done).toBe(true);
    const snapshot = new Database(join(folder, newest), { readonly: true });
    expect(groups(snapshot)).toEqual([{ color: expect.any(String), n: ROWS }]);
    snapshot.close();
    const database = await openAt(home);
    await database.restore(newest, REQUESTER);
    await database.close();
  });

  it('during a restore leaves either the old or the new table', async () => {
    const { begun, done } = await killed(
      working(`
        const backups = {};
        for (const color of ['red', 'blue']) {
          await database.importTables({ table }, color + '.csv', requester);
          ({ backup: backups[color] } = await database.clear({ table }));
        }
        await database.restore(backups.red, requester);
        for (let n = 1; ; n++) {
          const color = n % 2 === 0 ? 'red' : 'blue';
          tell('begin', color);
          await database.restore(backups[color], requester);
          tell('done', color);
        }`),
      afterSnapshot,
    );
    const [group, ...others] = await afterRestart();
    expect(others).toEqual([]);
    expect(group?.n).toBe(ROWS);
    expect([begun, done ?? 'red']).toContain(group?.color);
    const database = await openAt(home);
    await database.importTables({ table: 'robots_table' }, `${(round + 1) % 2 === 0 ? 'blue' : 'red'}.csv`, REQUESTER);
    await database.close();
  });
});
