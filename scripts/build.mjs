/**
 * Builds the production bundle: `dist/current/{main,api-key,jwt-key,link,admin}.js` with everything they need. The folder can be
 * copied anywhere and only needs Node, on machines with the same operating system, processor and major version of Node.
 *
 * Each build has its own folder, and `dist/current` is switched to it by one rename. So an interrupted build leaves the
 * previous one in place, concurrent builds do not interfere, and a running service still finds the modules it loads
 * lazily.
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
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { buildConsole } from './build-console.mjs';
import {
  ASSETS,
  BUILD,
  BUNDLE,
  CURRENT,
  DIST,
  ENTRIES,
  GUARD,
  PLACED,
  ROOT,
  sourcesFingerprint,
  THREADS,
  UNBUNDLED,
  VERSION,
} from './builds.mjs';
import buildNativeModule from './native.mjs';

const KEPT_BUILDS = 5;
const ABANDONED_AFTER_MS = 3_600_000;
/** What a build is called; what else is in the folder, a wheel for instance, is not ours to remove. */
const BUILD_NAME = /^(?:(?<unfinished>building|link)-)?[0-9a-f]{16}-[0-9a-f]{8}$/;

const fingerprint = sourcesFingerprint();
if (fingerprint === undefined) throw new Error(`Nothing to build: ${ENTRIES.main} is missing.`);
const name = `${fingerprint}-${randomBytes(4).toString('hex')}`;
const workplace = join(DIST, `building-${name}`);

buildNativeModule();
mkdirSync(workplace, { recursive: true });
try {
  await bundle(workplace);
  await buildConsole(join(workplace, 'console'));
  copyDocumentationPage(join(workplace, 'docs-ui'));
  copyAssets(workplace);
  copyUnbundled(join(workplace, 'node_modules'));
  describe(workplace);
  renameSync(workplace, join(DIST, name));
} catch (error) {
  rmSync(workplace, { recursive: true, force: true });
  if (!('errors' in error)) throw error;
  process.exit(1); // esbuild has already printed its errors
}
turnTo(name);
tidy(name);
const bytes = readdirSync(join(DIST, name), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
process.stdout.write(`Built ${BUILD} into dist/${name}, ${(bytes / 1e6).toFixed(1)} MB; dist/current leads there.\n`);

async function bundle(outdir) {
  const options = { ...BUNDLE, outdir, splitting: true, sourcemap: 'linked', sourcesContent: false };
  await build({ ...options, entryPoints: { ...ENTRIES, ...THREADS } });
  await build({ ...options, entryPoints: GUARD, chunkNames: 'guard-[name]-[hash]' });
}

/** The page at /docs must work without internet access, so its files are part of the bundle. */
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

function copyAssets(outdir) {
  const filter = (source) => !/__pycache__|\.egg-info|three-js\/(node_modules|built)/.test(source);
  for (const folder of ASSETS) cpSync(join(ROOT, folder), join(outdir, folder), { recursive: true, filter });
  for (const [folder, place] of Object.entries(PLACED)) {
    cpSync(join(ROOT, folder), join(outdir, place), { recursive: true, filter });
  }
}

function copyUnbundled(outdir) {
  for (const [name, files] of Object.entries(UNBUNDLED)) {
    for (const file of files) {
      cpSync(join(ROOT, 'node_modules', name, file), join(outdir, name, file), { recursive: true });
    }
  }
}

/** Writes the metadata of the folder: a package.json that marks its files as modules, and the build id. */
function describe(outdir) {
  const { description, license, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const commands = Object.keys(ENTRIES).filter((entry) => entry !== 'main');
  const about = {
    name: 'robot-rest',
    version: VERSION,
    description,
    license,
    private: true,
    type: 'module',
    engines,
    scripts: Object.fromEntries([['start', 'node main.js'], ...commands.map((entry) => [entry, `node ${entry}.js`])]),
  };
  writeFileSync(join(outdir, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  writeFileSync(join(outdir, 'build-id'), `${VERSION}-${name}\n`);
}

function turnTo(folder) {
  const link = join(DIST, `link-${folder}`);
  symlinkSync(folder, link);
  renameSync(link, CURRENT);
}

/** Removes leftovers of interrupted builds, and all but the newest few builds, which may still be running. */
function tidy(present) {
  const now = Date.now();
  const folders = readdirSync(DIST)
    .filter((entry) => entry !== present)
    .flatMap((entry) => {
      const match = BUILD_NAME.exec(entry);
      return match ? [{ path: join(DIST, entry), unfinished: match.groups?.unfinished !== undefined }] : [];
    })
    .flatMap(({ path, unfinished }) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats ? [{ path, unfinished, changed: stats.mtimeMs }] : [];
    })
    .sort((a, b) => b.changed - a.changed);
  const finished = folders.filter(({ unfinished }) => !unfinished).slice(KEPT_BUILDS - 1);
  const abandoned = folders.filter(({ unfinished, changed }) => unfinished && now - changed > ABANDONED_AFTER_MS);
  for (const { path } of [...finished, ...abandoned]) rmSync(path, { recursive: true, force: true });
}
