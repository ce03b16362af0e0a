import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Contains one folder per build, named by the hash of its sources, and `current`, a link to the active one. */
export const DIST = join(ROOT, 'dist');
export const CURRENT = join(DIST, 'current');

/** Programs: name in the bundle and source file. */
export const ENTRIES = {
  main: 'local-host/main.ts',
  'api-key': 'local-host/cli/api-key.ts',
  'jwt-key': 'local-host/cli/jwt-key.ts',
  admin: 'local-host/cli/admin.ts',
  link: 'local-host/cli/link.ts',
};

/** Worker threads: name in the bundle and source file. */
export const THREADS = {
  'database-thread': 'functions/database/adapters/sqlite/thread.ts',
  'llm-config-thread': 'functions/system/llm-config/adapters/thread.ts',
};

/** The guard of the service: a program with a bundle of its own, so that it loads nothing of the service's. */
export const GUARD = { guard: 'local-host/guard/main.ts' };

/** Project folders that are copied into the build. */
export const ASSETS = [
  'deploy', // the installer and the files it installs
  'examples', // robots behind a broker or rosbridge, and a page with three.js
  'robot', // initial data of a simulated robot
];

/** Folders that are copied to another place in the build: what runs of skills import. */
export const PLACED = { 'clients/python/src': 'python' };

/** Files of packages that cannot be bundled because they load native code; `bindings` locates it for the first. */
export const UNBUNDLED = {
  'better-sqlite3': ['package.json', 'LICENSE', 'lib', 'build/Release/better_sqlite3.node'],
  bindings: ['package.json', 'LICENSE.md', 'bindings.js'],
  'file-uri-to-path': ['package.json', 'LICENSE', 'index.js'],
};

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
export const VERSION = version;

const DATE = new Date().toISOString();
/** What the service calls this build (functions/shared/build-info.ts). */
export const BUILD = `${VERSION}+${DATE.replace(/\D/g, '')}`;

/** Options shared by all bundles, for the robot and the cloud. */
export const BUNDLE = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minify: true,
  // Native code cannot be bundled. The last two are optional dependencies of ssh2.
  external: ['better-sqlite3', 'cpu-features', '*.node'],
  // CommonJS dependencies in an ESM bundle call require for Node's built-in modules, and ssh2 uses __dirname.
  banner: {
    js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url),__dirname=import.meta.dirname;',
  },
  define: {
    BUILD_VERSION: JSON.stringify(version),
    BUILD_DATE: JSON.stringify(DATE),
  },
  logLevel: 'warning',
};

const SOURCES = [
  'functions',
  'local-host',
  'console/src',
  'clients/typescript/src',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  ...ASSETS,
  ...Object.keys(PLACED),
];

/**
 * A content hash of the sources, 16 hex digits. Timestamps would not work: a robot's clock may start in the past, and a
 * checkout resets them. Undefined if there are no sources, as in an image that only contains the bundle.
 */
export function sourcesFingerprint() {
  return existsSync(join(ROOT, ENTRIES.main)) ? fingerprintOf(SOURCES) : undefined;
}

/** A content hash of these files and folders of the project, 16 hex digits. */
export function fingerprintOf(sources) {
  const hash = createHash('sha256');
  for (const source of sources) addTo(hash, source);
  return hash.digest('hex').slice(0, 16);
}

function addTo(hash, source) {
  const path = join(ROOT, source);
  const entries = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
    : undefined;
  const files = entries
    ?.filter((entry) => entry.isFile() && !entry.name.endsWith('.pyc'))
    .map((entry) => join(entry.parentPath, entry.name)) ?? [path];
  for (const file of files.sort())
    hash
      .update(`${file.slice(ROOT.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
}

/** Whether the current build was made from the current sources. */
export function isCurrent() {
  const fingerprint = sourcesFingerprint();
  try {
    const built = readlinkSync(CURRENT);
    return existsSync(CURRENT) && (fingerprint === undefined || built.startsWith(fingerprint));
  } catch {
    return false;
  }
}
