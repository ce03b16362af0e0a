import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { openDatabase } from '../../functions/shared/adapters/database/open.ts';
import type { RobotDatabase } from '../../functions/shared/adapters/database/port.ts';
import { silentLogger, testConfig } from './world.ts';

/** Where a service at home in this folder keeps its database. */
export function databaseFile(home: string): string {
  return testConfig({ HOME: home }).SERVICE_DATABASE_URL.replace('sqlite:///', '');
}

/** Opens the database of a home as the service does, without the service. */
export async function openAt(home: string, settings: Record<string, string> = {}): Promise<RobotDatabase> {
  const config = testConfig({ HOME: home, ...settings });
  return openDatabase(config, silentLogger, Date.now);
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
