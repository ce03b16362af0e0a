import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { openDatabase } from '../../functions/database/adapters/open.ts';
import { fifteenTables } from '../../functions/database/adapters/sqlite/migrations/001-fifteen-tables.ts';
import type { RobotDatabase } from '../../functions/database/port.ts';
import type { Table } from '../../functions/database/tables.ts';
import { toStored } from '../../functions/database/value.ts';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { createLogger, type Logger } from '../../functions/shared/observability/logger.ts';
import { rowOf, TABLES } from './rows.ts';
import { silentLogger, temporaryFolder, testConfig } from './world.ts';

/** A key that waits for as long as it takes. */
export const REQUESTER = { signal: new AbortController().signal, owner: 'key-1' };

/** Where a service at home in this folder keeps its database. */
export function databaseFile(home: string): string {
  return testConfig({ HOME: home }).SERVICE_DATABASE_URL.replace('sqlite:///', '');
}

/** Opens the database of a home as the service does, without the service. */
export async function openAt(
  home: string,
  settings: Record<string, string> = {},
  logger: Logger = silentLogger,
): Promise<RobotDatabase> {
  const config = testConfig({ HOME: home, ...settings });
  return openDatabase(config, logger, Date.now);
}

/** Opens and closes the database of a home as a start of the service does; what stands in the log, and the problem. */
export async function startAt(home: string): Promise<{ log: JsonObject[]; problem: string | undefined }> {
  const log: JsonObject[] = [];
  const logger = createLogger('info', { write: (line) => log.push(JSON.parse(line)) });
  const database = await openAt(home, {}, logger);
  const problem = database.problem();
  await database.close();
  return { log, problem };
}

/** A home whose database has many robots: `name` is the id as text, `color` the same for all. */
export async function homeWithRobots(home: string, count: number, color = 'old'): Promise<void> {
  mkdirSync(dirname(databaseFile(home)), { recursive: true });
  const database = await openAt(home);
  const problem = database.problem();
  await database.close();
  if (problem !== undefined) throw new Error(problem);
  inFile(home, (file) =>
    file
      .prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
         insert into robots_table (id, name, color) select i, 'robot number ' || i, ? from n`,
      )
      .run(count, color),
  );
}

/** Looks into the file of a database that nobody has open. */
export function inFile<T>(home: string, work: (file: Database.Database) => T): T {
  const file = new Database(databaseFile(home));
  try {
    return work(file);
  } finally {
    file.close();
  }
}

/** A home whose database the first release of the service has made, with `rows` rows in every table. */
export function homeOfFirstRelease(rows: number): string {
  const home = temporaryFolder();
  mkdirSync(dirname(databaseFile(home)), { recursive: true });
  inFile(home, (file) => {
    file.pragma('journal_mode = WAL');
    for (const table of fifteenTables()) file.exec(table.compile().sql);
    file.pragma('user_version = 1');
    for (const table of TABLES) for (let n = 1; n <= rows; n++) insertRow(file, table, rowOf(table, n));
  });
  return home;
}

/** A home whose database another program has made: the fifteen tables with types of their own, and without checks. */
export function homeOfOtherProgram(rows: number, change = ''): string {
  const types = { int: 'INTEGER', str: 'VARCHAR', bool: 'BOOLEAN', json: 'JSON' };
  const home = temporaryFolder();
  mkdirSync(dirname(databaseFile(home)), { recursive: true });
  inFile(home, (file) => {
    for (const table of TABLES) {
      const columns = Object.entries(table.columns).map(([name, { kind, key, references }]) => {
        const reference = references ? ` REFERENCES ${references} (id)` : '';
        return `"${name}" ${types[kind]}${key ? ' NOT NULL' : ''}${reference}`;
      });
      file.exec(`CREATE TABLE ${table.name} (${columns.join(', ')}, PRIMARY KEY (id))`);
      for (let n = 1; n <= rows; n++) insertRow(file, table, rowOf(table, n));
    }
    file.pragma('foreign_keys = OFF');
    file.exec(change);
  });
  return home;
}

/** The columns that a table has in a file, which may be of an earlier release. */
export function columnsIn(file: Database.Database, table: string): string[] {
  const columns = file.pragma(`table_info("${table}")`) as Array<{ name: string }>; // as: the columns of this pragma
  return columns.map(({ name }) => name);
}

/** Puts a row as it is on the wire into a file, past the service, without the columns that are not there yet. */
export function insertRow(file: Database.Database, { name, columns }: Table, row: JsonObject): void {
  const there = columnsIn(file, name);
  const known = Object.entries(columns).filter(([column]) => there.includes(column));
  const stored = known.map(([column, description]) => {
    const checked = toStored(description, row[column] ?? null);
    if ('reason' in checked) throw new Error(`${name}.${column} ${checked.reason}`);
    return checked.value;
  });
  const names = known.map(([column]) => `"${column}"`);
  file.prepare(`insert into ${name} (${names}) values (${names.map(() => '?')})`).run(...stored);
}

/** Every definition in the file: name to SQL. */
export function definitionsIn(home: string): Record<string, string> {
  return inFile(home, (file) => {
    const all = file.prepare('select name, sql from sqlite_schema where sql is not null order by name').all();
    return Object.fromEntries((all as Array<{ name: string; sql: string }>).map(({ name, sql }) => [name, sql])); // as: the columns of the select
  });
}
