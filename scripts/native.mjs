/**
 * Builds better-sqlite3, the one native module, where it is missing or was built for another Node.js: `npm run native`.
 * Install scripts are off (.npmrc), so its own runs here, by name, and the result is tried. `npm start` and the tests call
 * this when they need it.
 */
import { spawnSync } from 'node:child_process';
import { ROOT } from './builds.mjs';

const OPEN_A_DATABASE = "new (require('better-sqlite3'))(':memory:').close()";
const BUILD_LIMIT_MS = 900_000;

function works() {
  return spawnSync(process.execPath, ['-e', OPEN_A_DATABASE], { cwd: ROOT, stdio: 'ignore' }).status === 0;
}

/**
 * Builds the module unless it works already; says so on stderr, since stdout belongs to the command that is running.
 * @throws Error with the output of the build when it does not work afterwards.
 */
export default function buildNativeModule() {
  if (works()) return;
  process.stderr.write('Building better-sqlite3 for this Node.js, once. This may take a few minutes.\n');
  const { status, stdout, stderr, error } = spawnSync('npm', ['rebuild', 'better-sqlite3', '--ignore-scripts=false'], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: BUILD_LIMIT_MS,
  });
  if (status === 0 && works()) return;
  throw new Error(`better-sqlite3 could not be built.\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`);
}

if (process.argv[1] === import.meta.filename) buildNativeModule();
