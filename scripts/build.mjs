/**
 * Builds the production bundle: `dist/current/{main,api-key,jwt-key}.js` with all that they need. The folder runs with
 * Node alone, wherever it is copied to, on machines of this kind (operating system, processor, major version of Node).
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
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import {
  ASSETS,
  BUNDLE,
  CURRENT,
  DIST,
  ENTRIES,
  ROOT,
  sourcesFingerprint,
  THREADS,
  UNBUNDLED,
  VERSION,
} from './builds.mjs';

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
  copyAssets(workplace);
  copyUnbundled(join(workplace, 'node_modules'));
  describe(workplace);
  renameSync(workplace, join(DIST, name));
} catch (error) {
  rmSync(workplace, { recursive: true, force: true });
  if (!('errors' in error)) throw error;
  process.exit(1); // esbuild has printed each of its errors
}
turnTo(name);
tidy(name);

async function bundle(outdir) {
  await build({
    ...BUNDLE,
    entryPoints: { ...ENTRIES, ...THREADS },
    outdir,
    splitting: true,
    sourcemap: 'linked',
    sourcesContent: false,
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

function copyAssets(outdir) {
  for (const folder of ASSETS) cpSync(join(ROOT, folder), join(outdir, folder), { recursive: true });
}

function copyUnbundled(outdir) {
  for (const [name, files] of Object.entries(UNBUNDLED)) {
    for (const file of files) {
      cpSync(join(ROOT, 'node_modules', name, file), join(outdir, name, file), { recursive: true });
    }
  }
}

/** Says what the folder is: to Node, that its files are modules; to people and to the installer, which build it is. */
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
