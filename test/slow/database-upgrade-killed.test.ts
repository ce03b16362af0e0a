import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { openForWriting } from '../../functions/database/adapters/sqlite/opening.ts';
import { databaseFile, homeOfFirstRelease, homeOfOtherProgram } from '../support/database-file.ts';
import { TABLES } from '../support/rows.ts';
import { programOf } from '../support/run-source.ts';
import { temporaryFolder } from '../support/world.ts';

const ROWS = 20;
/** Steps at either end that are all tried. Between them the same is done to fifteen tables: every fifth is enough. */
const ENDS = 8;
const ROUNDS = 8;

/** Opens the database as the writing thread does, and kills itself at the n-th step. Told none, it prints their number. */
const OPENING = `
  import Database from 'better-sqlite3';
  import { openForWriting } from './functions/database/adapters/sqlite/opening.ts';
  const [file, backups, step] = process.argv.slice(2);
  const die = () => process.kill(process.pid, 'SIGKILL');
  let left = Number(step);
  for (const name of ['exec', 'pragma', 'backup', 'close']) {
    const original = Database.prototype[name];
    Database.prototype[name] = function (...args) {
      const changes = name !== 'pragma' || args[0].includes('=');
      if (this.name !== ':memory:' && changes && --left === 0) die();
      if (args[0] === 'cache_size = -8000') args[0] = 'cache_size = 5'; // what is changed reaches the file at once
      return original.apply(this, args);
    };
  }
  const { session } = await openForWriting(file, backups, Date.now());
  session.close();
  if (step === '0') console.log(-left);`;
const program = programOf(OPENING);

describe.each([
  ['A migration', () => homeOfFirstRelease(ROWS), 1],
  ['The adoption of a database of another program', () => homeOfOtherProgram(ROWS), 0],
])('%s', (_what, make, oldVersion) => {
  const original = databaseFile(make());
  const home = temporaryFolder();
  const file = databaseFile(home);
  const backups = join(dirname(file), 'backups');
  const open = (step: number, timeout?: number) =>
    spawnSync(process.execPath, [program, file, backups, String(step)], {
      encoding: 'utf8',
      killSignal: 'SIGKILL',
      ...(timeout === undefined ? {} : { timeout }),
    });

  function reset() {
    rmSync(dirname(file), { recursive: true, force: true });
    mkdirSync(dirname(file), { recursive: true });
    for (const end of ['', '-wal'])
      try {
        copyFileSync(original + end, file + end);
      } catch {} // a file that was closed well has no log
  }

  /** Whatever moment it was killed at: the old one or the new one, and the next start makes the new one of it. */
  async function expectOldOrNew(before: ReturnType<typeof contentOf>, after: ReturnType<typeof contentOf>) {
    const left = contentOf(file);
    expect(left).toEqual(left.version === oldVersion ? before : after);
    (await openForWriting(file, backups, Date.now())).session.close();
    expect(contentOf(file)).toEqual(after);
    expect(readdirSync(backups)).toEqual([expect.stringMatching(/^snapshot-000001-/)]);
    expect(contentOf(join(backups, readdirSync(backups)[0] ?? ''))).toEqual(before);
    return left.version;
  }

  it('leaves the old or the new database when killed at any of its steps', async () => {
    reset();
    const before = contentOf(file);
    expect(before.version).toBe(oldVersion);
    reset();
    const { status, stdout, stderr } = open(0);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const steps = Number(stdout);
    expect(steps).toBeGreaterThan(40);
    const after = contentOf(file);
    expect(after.rows).toEqual(before.rows);
    const found = new Set<number>();
    for (let step = 1; step <= steps; step++) {
      if (step > ENDS && step <= steps - ENDS && step % 5 !== 0) continue;
      reset();
      const { signal, stderr } = open(step);
      expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
      if (readdirSync(dirname(file)).includes('backups')) found.add(await expectOldOrNew(before, after));
    }
    expect([...found].sort()).toEqual([oldVersion, after.version]);
  });

  it('leaves the old or the new database when killed at any moment', async () => {
    reset();
    const before = contentOf(file);
    reset();
    const start = Date.now();
    open(0);
    const took = Date.now() - start;
    const after = contentOf(file);
    for (let round = 0; round < ROUNDS; round++) {
      reset();
      open(0, Math.max(1, Math.round(took * (0.4 + (0.7 * (round + Math.random())) / ROUNDS))));
      await expectOldOrNew(before, after);
    }
  });
});

/** Version, definitions and rows of a file; opening it first takes back what was half written. */
function contentOf(path: string) {
  const database = new Database(path);
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_key_check')).toEqual([]);
    return {
      version: Number(database.pragma('user_version', { simple: true })),
      definitions: database.prepare('select name, sql from sqlite_schema where sql is not null order by name').all(),
      rows: Object.fromEntries(
        TABLES.map(({ name, columns }) => {
          const texts = Object.entries(columns).map(([column, { kind }]) =>
            kind === 'json' ? `json("${column}")` : `"${column}"`,
          );
          return [name, database.prepare(`select ${texts} from ${name} order by id`).raw().all()];
        }),
      ),
    };
  } finally {
    database.close();
  }
}
