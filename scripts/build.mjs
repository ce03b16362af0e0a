/**
 * Builds the production bundle: `dist/current/{main,api-key,jwt-key}.js`.
 *
 * A build lives in a folder of its own and `dist/current` is turned to it by one rename. So a build that is killed
 * leaves the previous one in place, two builds at once do not mix, and a service that is running goes on finding the
 * parts it loads late.
 */

import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { CURRENT, DIST, ENTRIES, ROOT, sourcesFingerprint, THREADS } from './builds.mjs';

const KEPT_BUILDS = 5;
const ABANDONED_AFTER_MS = 3_600_000;

const fingerprint = sourcesFingerprint();
if (fingerprint === undefined) throw new Error(`There is nothing to build: ${ENTRIES.main} is missing.`);
const name = `${fingerprint}-${randomBytes(4).toString('hex')}`;
const workplace = join(DIST, `building-${name}`);

mkdirSync(workplace, { recursive: true });
try {
  await bundle(workplace);
  copyDocumentationPage(join(workplace, 'docs-ui'));
  cpSync(join(ROOT, 'robot'), join(workplace, 'robot'), { recursive: true }); // what a simulated robot starts with
  renameSync(workplace, join(DIST, name));
} catch (error) {
  rmSync(workplace, { recursive: true, force: true });
  if (!('errors' in error)) throw error;
  process.exit(1); // esbuild has printed each of its errors
}
turnTo(name);
tidy(name);

async function bundle(outdir) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  await build({
    absWorkingDir: ROOT,
    entryPoints: { ...ENTRIES, ...THREADS },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    // Compiled code cannot be bundled. The last two are optional parts of ssh2, which does without them.
    external: ['better-sqlite3', 'cpu-features', '*.node'],
    // CommonJS dependencies inside an ESM bundle call require for Node's own modules.
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
    define: {
      BUILD_VERSION: JSON.stringify(version),
      BUILD_DATE: JSON.stringify(new Date().toISOString()),
    },
    logLevel: 'warning',
  });
}

/** The page at /docs must work without the internet, so its files travel with the bundle. */
function copyDocumentationPage(folder) {
  const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const file of [
    'swagger-ui.css',
    'swagger-ui-bundle.js',
    'favicon-32x32.png',
    'swagger-ui-bundle.js.LICENSE.txt',
    'LICENSE',
    'NOTICE',
  ]) {
    if (existsSync(join(source, file))) cpSync(join(source, file), join(folder, file));
  }
}

function turnTo(folder) {
  const link = join(DIST, `link-${folder}`);
  symlinkSync(folder, link);
  renameSync(link, CURRENT);
}

/** Removes old builds, save the newest few, which may still be running, and what killed builds left behind. */
function tidy(present) {
  const now = Date.now();
  const folders = readdirSync(DIST)
    .filter((entry) => entry !== 'current' && entry !== present)
    .map((entry) => ({ path: join(DIST, entry), unfinished: /^(building|link)-/.test(entry) }))
    .flatMap(({ path, unfinished }) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats ? [{ path, unfinished, changed: stats.mtimeMs }] : [];
    })
    .sort((a, b) => b.changed - a.changed);
  const finished = folders.filter(({ unfinished }) => !unfinished).slice(KEPT_BUILDS - 1);
  const abandoned = folders.filter(({ unfinished, changed }) => unfinished && now - changed > ABANDONED_AFTER_MS);
  for (const { path } of [...finished, ...abandoned]) rmSync(path, { recursive: true, force: true });
}
