import { lstatSync, readdirSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ServiceError } from '../../../shared/errors.ts';
import { makePrivateFolder, syncPath } from '../../../shared/kit/files/replace-file.ts';
import { BudgetExceeded } from '../../../shared/observability/budget-exceeded.ts';
import type { ExportedFile, Exports } from '../../port.ts';
import type { CsvFile } from './export-path.ts';
import type { Storage } from './thread-protocol.ts';

/** Most CSV files and folders that exports may leave in the export folder. */
const MAX_ENTRIES = 1_000;
/** Most entries that are read: others may have put files there as well. */
const MAX_LOOKED_AT = 10_000;

type Place = Pick<Storage, 'exportDir' | 'exportMaxBytes'>;

interface Inventory {
  readonly files: ExportedFile[];
  /** Files and folders. */
  entries: number;
}

/** The CSV files in the export folder and the folders below it, by their paths. Links are not followed. */
export function listExports({ exportDir, exportMaxBytes }: Place): Exports {
  const { files } = inventoryOf(exportDir);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { exports: files, size: sizeOf(files), max_size: exportMaxBytes };
}

/**
 * Removes one of the listed files, and the folders that it leaves empty. The path is compared with the list and used for
 * nothing else. Error: not_found.
 */
export function removeExport(place: Place, path: string): ExportedFile {
  const found = listExports(place).exports.find((file) => file.path === path);
  if (!found) {
    throw new ServiceError('not_found', {
      detail: 'There is no such export. GET /api/v2/database/exports/ lists the paths.',
    });
  }
  const file = join(realpathSync(place.exportDir), found.path);
  rmSync(file, { force: true });
  syncPath(removeEmptyFolders(place.exportDir, dirname(file)));
  return found;
}

/** Removes a folder in the export folder, and those above it, as far as they are empty. @returns the first that stays. */
export function removeEmptyFolders(exportDir: string, folder: string): string {
  const root = realpathSync(exportDir);
  let stays = folder;
  try {
    for (; stays !== root; stays = dirname(stays)) rmdirSync(stays);
  } catch {
    // it is not empty
  }
  return stays;
}

/** What an export may still add. A full quota refuses: no older export is removed to make room for another. */
export class ExportQuota {
  readonly #maxBytes: number;
  #bytes: number;

  /** `files`: what the export is going to write or replace. Error: storage_full. */
  constructor({ exportDir, exportMaxBytes }: Place, files: readonly CsvFile[]) {
    makePrivateFolder(exportDir);
    const inventory = inventoryOf(exportDir);
    if (inventory.entries + missing(files) > MAX_ENTRIES) throw quotaFull(`${MAX_ENTRIES} files and folders`);
    const replaced = new Set(files.map(({ path }) => path));
    this.#bytes = sizeOf(inventory.files.filter(({ path }) => !replaced.has(path)));
    this.#maxBytes = exportMaxBytes;
  }

  /** Call it before writing this many bytes. Error: storage_full. */
  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) throw quotaFull(`${this.#maxBytes} bytes (SERVICE_EXPORT_MAX_BYTES)`);
  }
}

function quotaFull(what: string): BudgetExceeded {
  return new BudgetExceeded('exports', 'storage_full', {
    detail: `The exports may have ${what} together, and with this one would have more. Nothing was written, and no other export was removed. An ADMIN or ENCHANTER can list them with GET /api/v2/database/exports/ and delete one with DELETE on its path.`,
  });
}

/** How many files and folders an export would make. */
function missing(files: readonly CsvFile[]): number {
  const paths = new Set<string>();
  for (const { file } of files) {
    for (let at = file; !statSync(at, { throwIfNoEntry: false }); at = dirname(at)) paths.add(at);
  }
  return paths.size;
}

function inventoryOf(exportDir: string): Inventory {
  const inventory: Inventory = { files: [], entries: 0 };
  if (statSync(exportDir, { throwIfNoEntry: false })?.isDirectory()) {
    const root = realpathSync(exportDir);
    take(root, root, inventory);
  }
  return inventory;
}

function take(root: string, folder: string, inventory: Inventory): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (inventory.entries >= MAX_LOOKED_AT) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      inventory.entries += 1;
      take(root, path, inventory);
    } else if (entry.isFile() && entry.name.endsWith('.csv')) {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (!stats) continue;
      inventory.entries += 1;
      inventory.files.push({ path: relative(root, path), size: stats.size, modified_at: stats.mtime.toISOString() });
    }
  }
}

function sizeOf(files: readonly ExportedFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
