import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessLevel } from '../../functions/shared/access.ts';
import type { HttpAnswer, HttpCall } from './http.ts';

/** Whoever can ask a service as a caller of some level. */
export type Ask = (level: AccessLevel, path: string, call?: HttpCall) => Promise<HttpAnswer>;

export interface Writer {
  readonly name: string;
  /** One request that has to write to the disk. */
  readonly write: (ask: Ask) => Promise<HttpAnswer>;
}

const BIG = 'x'.repeat(200_000);

export function upload(ask: Ask, fileName: string, text: string): Promise<HttpAnswer> {
  const body = `--XX\r\nContent-Disposition: form-data; name="skill"; filename="${fileName}"\r\n\r\n${text}\r\n--XX--\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=XX' };
  return ask('ADMIN', '/api/v2/skill/upload/', { method: 'POST', headers, body });
}

const table = 'robots_table';
const database = (ask: Ask, path: string, method: string, body: unknown) =>
  ask('ENCHANTER', `/api/v2/database/${path}/`, { method, body });

/** Every request of the API that needs room on the disk for what it brings. */
export const WRITERS: readonly Writer[] = [
  { name: 'a new skill', write: (ask) => upload(ask, 'fresh.py', `# ${BIG}\n`) },
  { name: 'a skill that replaces one', write: (ask) => upload(ask, 'kept.py', `# ${BIG}\n`) },
  {
    name: 'a new row',
    write: (ask) => database(ask, 'add_item', 'POST', { tablename: table, item: { name: BIG } }),
  },
  {
    name: 'a changed row',
    write: (ask) =>
      database(ask, 'update_item', 'PUT', { tablename: table, item: { id: 1 }, attribute: 'name', new_value: BIG }),
  },
  {
    name: 'the snapshot before a table is cleared',
    write: (ask) => ask('ENCHANTER', `/api/v2/database/clear_table/?tablename=${table}`, { method: 'DELETE' }),
  },
  {
    name: 'the snapshot before the database is cleared',
    write: (ask) => ask('ENCHANTER', '/api/v2/clear_database'),
  },
  {
    name: 'the snapshot before a restore',
    write: async (ask) => {
      const list = await ask('ENCHANTER', '/api/v2/database/backups/');
      if (list.status !== 200) return list;
      return database(ask, 'restore', 'POST', { backup: /snapshot-[\w-]+\.sqlite/.exec(list.text)?.[0] });
    },
  },
  {
    name: 'an export to a new file',
    write: (ask) => database(ask, 'export_table', 'POST', { tablename: table, path: 'fresh.csv' }),
  },
  {
    name: 'an export that replaces a file',
    write: (ask) => database(ask, 'export_table', 'POST', { tablename: table, path: 'kept.csv' }),
  },
  {
    name: 'an export of every table',
    write: (ask) => database(ask, 'export_table', 'POST', { tablename: '', path: 'all' }),
  },
  {
    name: 'an import',
    write: (ask) => database(ask, 'import_table', 'POST', { tablename: table, path: 'incoming.csv' }),
  },
  {
    name: 'a table that is sent as CSV',
    write: (ask) =>
      ask('ENCHANTER', `/api/v2/database/tables/${table}.csv`, {
        method: 'PUT',
        headers: { 'content-type': 'text/csv' },
        body: `id,name\n1,${BIG}\n`,
      }),
  },
  {
    name: 'the snapshot that somebody asks for',
    write: (ask) => ask('ADMIN', '/api/v2/database/backups/', { method: 'POST' }),
  },
  {
    name: 'the snapshot that somebody sends in',
    write: async (ask) => {
      const list = await ask('ADMIN', '/api/v2/database/backups/');
      if (list.status !== 200) return list;
      const [{ name }] = list.json.backups;
      const { bytes } = await ask('ADMIN', `/api/v2/database/backups/${name}`);
      return ask('ADMIN', `/api/v2/database/backups/snapshot-sent-${randomUUID()}.sqlite`, {
        method: 'PUT',
        headers: { 'content-type': 'application/vnd.sqlite3' },
        body: bytes,
      });
    },
  },
  {
    name: 'a new API key',
    write: (ask) => ask('ENCHANTER', '/api/v2/keys/', { method: 'POST', body: { name: 'new phone', level: 'USER' } }),
  },
  {
    name: 'a change of the language-model configuration',
    write: (ask) =>
      ask('ENCHANTER', '/api/v2/llm_config/', {
        method: 'PATCH',
        body: { command: 'model', value: BIG.slice(0, 9000) },
      }),
  },
];

/** Every file below a folder with the digest of what is in it; without what `but` matches. */
export function contents(folder: string, but: RegExp): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !but.test(path) && statSync(join(folder, path)).isFile())
    .sort();
  return Object.fromEntries(
    files.map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex'),
    ]),
  );
}
