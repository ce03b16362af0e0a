/**
 * Builds the console: a script for its frame, one for each view that is loaded when it is first opened, one style sheet
 * and the icon, named by their content, each also compressed.
 * `node scripts/build-console.mjs` builds into console/dist, unless that was done from the same sources before, and prints
 * the folder; the service does so when it runs from its sources.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { fingerprintOf, ROOT } from './builds.mjs';

const SOURCES = ['console/src', 'clients/typescript/src', 'scripts/build-console.mjs', 'package-lock.json'];
const KEPT_BUILDS = 3;

/** Builds it into an empty folder, with `entry.json`, which names the files that the page begins with. */
export async function buildConsole(outdir) {
  const {
    metafile: { outputs },
  } = await build({
    absWorkingDir: ROOT,
    entryPoints: { main: 'console/src/main.tsx', style: 'console/src/style.css', icon: 'console/src/icon.svg' },
    outdir,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    loader: { '.svg': 'copy' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    metafile: true,
    logLevel: 'warning',
  });
  const named = (source) => Object.keys(outputs).find((path) => outputs[path].entryPoint === `console/src/${source}`);
  for (const path of Object.keys(outputs)) compress(join(outdir, basename(path)));
  const script = named('main.tsx');
  const icon = Object.keys(outputs).find((path) => path.endsWith('.svg'));
  const entry = { script, parts: [...importsOf(script, outputs)], style: named('style.css'), icon };
  writeFileSync(
    join(outdir, 'entry.json'),
    JSON.stringify(entry, (_name, value) => baseIfText(value)),
  );
}

function baseIfText(value) {
  return typeof value === 'string' ? basename(value) : value;
}

/** What a script imports at once, and what that does. */
function importsOf(path, outputs, found = new Set()) {
  for (const { kind, path: imported } of outputs[path].imports) {
    if (kind !== 'import-statement' || found.has(imported)) continue;
    found.add(imported);
    importsOf(imported, outputs, found);
  }
  return found;
}

function compress(path) {
  const bytes = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
}

/** The folder of the build from the present sources. Several processes may ask at once: the first to be ready wins. */
async function currentBuild() {
  const dist = join(ROOT, 'console', 'dist');
  const folder = join(dist, fingerprintOf(SOURCES));
  if (existsSync(folder)) return folder;
  const workplace = join(dist, `building-${randomBytes(4).toString('hex')}`);
  mkdirSync(workplace, { recursive: true });
  try {
    await buildConsole(workplace);
    renameSync(workplace, folder);
  } catch (error) {
    rmSync(workplace, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  tidy(dist);
  return folder;
}

function tidy(dist) {
  const builds = readdirSync(dist)
    .filter((name) => !name.startsWith('building-'))
    .map((name) => ({
      path: join(dist, name),
      changed: statSync(join(dist, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .sort((a, b) => b.changed - a.changed);
  for (const { path } of builds.slice(KEPT_BUILDS)) rmSync(path, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${await currentBuild()}\n`);
