import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Holds one folder a build, named for what it was built from, and `current`, a link to the one that runs. */
export const DIST = join(ROOT, 'dist');
export const CURRENT = join(DIST, 'current');

/** The programs: name in the bundle and source. */
export const ENTRIES = {
  main: 'local-host/main.ts',
  'api-key': 'local-host/cli/api-key.ts',
  'jwt-key': 'local-host/cli/jwt-key.ts',
};

/** What the programs start as threads of their own: name in the bundle and source. */
export const THREADS = {
  'database-thread': 'functions/shared/adapters/database/sqlite/thread.ts',
};

const SOURCES = ['functions', 'local-host', 'robot', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'];

/**
 * Names the sources by their content: 16 hex digits. Times would not do: a robot's clock starts in the past, and a
 * checkout sets them anew. Undefined where there are no sources, as in an image that ships the bundle alone.
 */
export function sourcesFingerprint() {
  if (!existsSync(join(ROOT, ENTRIES.main))) return undefined;
  const hash = createHash('sha256');
  for (const source of SOURCES) addTo(hash, source);
  return hash.digest('hex').slice(0, 16);
}

function addTo(hash, source) {
  const path = join(ROOT, source);
  const entries = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
    : undefined;
  const files = entries?.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)) ?? [path];
  for (const file of files.sort())
    hash
      .update(`${file.slice(ROOT.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
}

/** Whether the present build was made from the present sources. */
export function isCurrent() {
  const fingerprint = sourcesFingerprint();
  try {
    const built = readlinkSync(CURRENT);
    return existsSync(CURRENT) && (fingerprint === undefined || built.startsWith(fingerprint));
  } catch {
    return false;
  }
}
