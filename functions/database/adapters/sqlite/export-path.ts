import { lstatSync, realpathSync } from 'node:fs';
import { isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { ServiceError } from '../../../shared/errors.ts';
import { makePrivateFolder } from '../../../shared/kit/files/replace-file.ts';
import type { Selection } from '../../port.ts';
import type { TableName } from '../../tables.ts';
import { selected } from './clear.ts';

export interface CsvFile {
  readonly table: TableName;
  /** Absolute. */
  readonly file: string;
  /** Relative to the export folder: what a client sees, and may send. */
  readonly path: string;
}

type Purpose = 'read' | 'write' | 'plan';

const MAX_CHARACTERS = 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * The CSV files a request means, all inside the export folder and reached without any link.
 * @param purpose `write` makes missing folders; `plan` only asks which files would be written.
 * Error: validation_failed for a path that leaves the folder, or is no fitting name.
 */
export function csvFiles(exportDir: string, selection: Selection, path: string, purpose: Purpose): CsvFile[] {
  makePrivateFolder(exportDir);
  const root = realpathSync(exportDir);
  const inside = insideOf(root, resolve(exportDir), path);
  if (selection === 'every') {
    if (inside.endsWith('.csv')) throw wrong('names a file; for every table it must name a folder');
    requirePlainFolder(root, inside, purpose);
    return selected(selection).map((table) => csvFile(root, table, join(inside, `${table}.csv`)));
  }
  const file = inside === '' ? `${selection.table}.csv` : inside;
  if (!file.endsWith('.csv')) throw wrong('must end in .csv');
  requirePlainFolder(root, normalize(join(file, '..')), purpose);
  return [csvFile(root, selection.table, file)];
}

/** The path relative to the folder, without a step upwards. */
function insideOf(root: string, configured: string, path: string): string {
  if (path.length > MAX_CHARACTERS || path.split(sep).some((part) => Buffer.byteLength(part) > 255))
    throw wrong('is too long');
  if (CONTROL.test(path)) throw wrong('must not contain control characters');
  const candidates = isAbsolute(path) ? [relative(configured, path), relative(root, path)] : [normalize(path)];
  const inside = candidates.find((one) => one !== '..' && !one.startsWith(`..${sep}`) && !isAbsolute(one));
  if (inside === undefined) throw wrong('leaves the export folder');
  return inside === '.' ? '' : inside.replace(/\/$/, '');
}

function requirePlainFolder(root: string, folder: string, purpose: Purpose): void {
  let at = root;
  for (const part of folder.split(sep).filter((name) => name !== '' && name !== '.')) {
    at = join(at, part);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) throw wrong('leads through a link');
    if (stats && !stats.isDirectory()) throw wrong('leads through something that is no folder');
    if (stats) continue;
    if (purpose === 'plan') return;
    if (purpose === 'read') throw missing(relative(root, at));
    makePrivateFolder(at);
  }
}

/** The file may be missing; what is there must be a regular file. */
function csvFile(root: string, table: TableName, path: string): CsvFile {
  const file = join(root, path);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) throw wrong('names a link');
  if (stats && !stats.isFile()) throw wrong('names something that is no regular file');
  return { table, file, path };
}

function wrong(why: string): ServiceError {
  return new ServiceError('validation_failed', {
    detail: `The path ${why}. It must lie inside the export folder: a relative one such as "backup/robots.csv" does.`,
    errors: [{ pointer: '/path', message: `The path ${why}.` }],
  });
}

export function missing(path: string): ServiceError {
  return new ServiceError('not_found', { detail: `The export folder has no ${JSON.stringify(path)}.` });
}
