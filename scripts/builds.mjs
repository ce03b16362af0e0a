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

/** What travels with the programs: folders of the project, which keep their names. */
export const ASSETS = [
  'deploy', // the installer and what it installs
  'robot', // what a simulated robot starts with
];

/** Files of packages that cannot be bundled, since they load compiled code; `bindings` finds it for the first. */
export const UNBUNDLED = {
  'better-sqlite3': ['package.json', 'LICENSE', 'lib', 'build/Release/better_sqlite3.node'],
  bindings: ['package.json', 'LICENSE.md', 'bindings.js'],
  'file-uri-to-path': ['package.json', 'LICENSE', 'index.js'],
};

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
export const VERSION = version;

/** What every bundle has in common, on the robot and in the cloud. */
export const BUNDLE = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minify: true,
  // Compiled code cannot be bundled. The last two are optional parts of ssh2, which does without them.
  external: ['better-sqlite3', 'cpu-features', '*.node'],
  // CommonJS dependencies inside an ESM bundle call require for Node's own modules; ssh2 names a path by __dirname.
  banner: {
    js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url),__dirname=import.meta.dirname;',
  },
  define: {
    BUILD_VERSION: JSON.stringify(version),
    BUILD_DATE: JSON.stringify(new Date().toISOString()),
  },
  logLevel: 'warning',
};

const SOURCES = ['functions', 'local-host', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json', ...ASSETS];

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
