/**
 * The overhead of the service over SQLite: each operation is run by the endpoints (full pipeline, no socket) and by
 * plain better-sqlite3, alternating, on two identical databases. `npm run bench:database` prints medians and their
 * ratio (service / bare; 1 means no overhead, below 1 is faster).
 */
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse';
import { handler as addItem } from '../functions/database/add-item.handler.ts';
import { handler as clearDatabase } from '../functions/database/clear-database.handler.ts';
import { handler as importTable } from '../functions/database/import-table.handler.ts';
import { handler as readItem } from '../functions/database/read-item.handler.ts';
import { handler as readTable } from '../functions/database/read-table.handler.ts';
import { type DatabaseWorld, databaseWorld } from '../test/support/database.ts';

const RUNS = 7;
const READ_ROWS = 10_000;
const IMPORT_LINES = 100_000;
const SINGLE_READS = 5_000;
const INSERTS = 1_000;
const tablename = 'robots_table';
const COLUMNS = ['id', 'name', 'body_image', 'head_image', 'color'];

const line = (n: number) => [n, `robot ${n}`, `/images/body-${n}.png`, '', '#2196f3'];
const csv = (lines: number) =>
  `${COLUMNS}\r\n${Array.from({ length: lines }, (_, n) => line(n + 1).join(',')).join('\r\n')}\r\n`;

interface Work {
  readonly name: string;
  readonly service: () => Promise<unknown>;
  readonly bare: () => unknown;
  /** Prepares both databases. */
  readonly before: () => Promise<unknown>;
}

async function main(): Promise<void> {
  const world = databaseWorld({ SERVICE_BACKUP_MAX_BYTES: String(2 ** 40) });
  await world.ok(readTable, { query: { tablename } });
  mkdirSync(world.exportDir, { recursive: true });
  const bare = await bareTwin();
  const results: Record<string, { service_ms: number; bare_ms: number; ratio: number }> = {};
  for (const { name, service, bare: peer, before } of worksOn(world, bare)) {
    const times: { service: number[]; bare: number[] } = { service: [], bare: [] };
    for (let run = 0; run <= RUNS; run++) {
      await before();
      const [ours, theirs] = [await timed(service), await timed(peer)];
      if (run === 0) continue; // the first run is a warm-up
      times.service.push(ours);
      times.bare.push(theirs);
    }
    const [service_ms, bare_ms] = [median(times.service), median(times.bare)];
    results[name] = { service_ms: round(service_ms), bare_ms: round(bare_ms), ratio: round(service_ms / bare_ms) };
  }
  process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
  bare.close();
  await world.close();
}

function worksOn(world: DatabaseWorld, bare: Database.Database): Work[] {
  const select = bare.prepare(`select * from ${tablename} order by id`);
  const selectOne = bare.prepare(`select * from ${tablename} where id = ?`);
  const insert = bare.prepare(`insert into ${tablename} (name, color) values (?, ?) returning *`);
  const fill = (lines: number) => async () => {
    writeFileSync(join(world.exportDir, `${tablename}.csv`), csv(lines));
    await world.ok(clearDatabase);
    bare.exec(`delete from ${tablename}`);
    await world.ok(importTable, { body: { tablename } });
    await bareImport(bare, join(world.exportDir, `${tablename}.csv`));
  };
  return [
    {
      name: `read ${READ_ROWS} rows`,
      before: fill(READ_ROWS),
      service: () => world.ok(readTable, { query: { tablename } }),
      bare: () => JSON.parse(JSON.stringify(select.all())),
    },
    {
      name: `read one row, ${SINGLE_READS} times`,
      before: async () => {},
      service: async () => {
        for (let n = 1; n <= SINGLE_READS; n++)
          await world.ok(readItem, { query: { data: JSON.stringify({ tablename, item: { id: n } }) } });
      },
      bare: () => {
        for (let n = 1; n <= SINGLE_READS; n++) JSON.parse(JSON.stringify(selectOne.get(n)));
      },
    },
    {
      name: `insert one row, ${INSERTS} times`,
      before: async () => {},
      service: async () => {
        for (let n = 0; n < INSERTS; n++)
          await world.ok(addItem, { body: { tablename, item: { name: `new ${n}`, color: 'red' } } });
      },
      bare: () => {
        for (let n = 0; n < INSERTS; n++) JSON.parse(JSON.stringify(insert.get(`new ${n}`, 'red')));
      },
    },
    {
      name: `import ${IMPORT_LINES} lines`,
      before: async () => {
        await world.ok(clearDatabase);
        bare.exec(`delete from ${tablename}`);
        writeFileSync(join(world.exportDir, `${tablename}.csv`), csv(IMPORT_LINES));
      },
      service: () => world.ok(importTable, { body: { tablename } }),
      bare: () => bareImport(bare, join(world.exportDir, `${tablename}.csv`)),
    },
  ];
}

/** A second database with the service's own schema and settings. */
async function bareTwin(): Promise<Database.Database> {
  const twin = databaseWorld();
  await twin.ok(readTable, { query: { tablename } });
  await twin.close();
  const bare = new Database(twin.file);
  bare.pragma('journal_mode = WAL');
  bare.pragma('synchronous = FULL');
  bare.pragma('foreign_keys = ON');
  return bare;
}

/** As in the documentation of both libraries, distinguishing NULL from empty text. */
async function bareImport(bare: Database.Database, file: string): Promise<void> {
  const parser = createReadStream(file).pipe(
    parse({ bom: true, columns: true, cast: (text, { quoting }) => (text === '' && !quoting ? null : text) }),
  );
  const insert = bare.prepare(
    `insert into ${tablename} (${COLUMNS}) values (${COLUMNS.map((column) => `@${column}`)}) on conflict (id) do update set name = excluded.name, body_image = excluded.body_image, head_image = excluded.head_image, color = excluded.color`,
  );
  bare.exec('begin');
  for await (const record of parser) insert.run({ ...record, id: Number(record.id) });
  bare.exec('commit');
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const round = (value: number) => Math.round(value * 100) / 100;

await main();
