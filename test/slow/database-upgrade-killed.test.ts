import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { build } from 'esbuild';
import { openForWriting } from '../../functions/shared/adapters/database/sqlite/opening.ts';
import { databaseFile, homeOfFirstRelease, homeOfOtherProgram } from '../support/database-file.ts';
import { TABLES } from '../support/rows.ts';
import { temporaryFolder } from '../support/world.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ROWS = 60;
/** Inside the project, so that it finds the native module. */
const program = join(ROOT, 'node_modules/.cache', `upgrade-killed-${process.pid}.mjs`);

/** Opens the database as the writing thread does, and kills itself at the n-th step. */
const OPENING = `
  import Database from 'better-sqlite3';
  import { openForWriting } from './functions/shared/adapters/database/sqlite/opening.ts';
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
  session.close();`;

beforeAll(async () => {
  mkdirSync(dirname(program), { recursive: true });
  await build({
    stdin: { contents: OPENING, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    outfile: program,
    logLevel: 'error',
  });
});
afterAll(() => rmSync(program, { force: true }));

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

  it('that is killed at any of its steps leaves the old database or the new one', async () => {
    reset();
    const before = contentOf(file);
    expect(before.version).toBe(oldVersion);
    reset();
    expect(open(0)).toMatchObject({ status: 0, stderr: '' });
    const after = contentOf(file);
    expect(after.rows).toEqual(before.rows);
    const found = new Set<number>();
    let step = 0;
    for (;;) {
      reset();
      step += 1;
      const { status, signal, stderr } = open(step);
      expect(stderr).toBe('');
      if (status === 0) break;
      expect(signal).toBe('SIGKILL');
      if (readdirSync(dirname(file)).includes('backups')) found.add(await expectOldOrNew(before, after));
    }
    expect(step).toBeGreaterThan(40);
    expect([...found].sort()).toEqual([oldVersion, after.version]);
  });

  it('that is killed at any moment leaves the old database or the new one', async () => {
    reset();
    const before = contentOf(file);
    reset();
    const start = Date.now();
    open(0);
    const took = Date.now() - start;
    const after = contentOf(file);
    for (let round = 0; round < 20; round++) {
      reset();
      open(0, Math.max(1, Math.round(took * (0.4 + Math.random() * 0.7))));
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
