/**
 * Runs the production bundle in this process: `node scripts/start.mjs [main|api-key|jwt-key|link|admin] [arguments]`.
 * Builds it first if it is missing or outdated. Prints nothing on stdout, which belongs to the commands (a key, for instance).
 */
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CURRENT, ENTRIES, isCurrent, ROOT } from './builds.mjs';
import buildNativeModule from './native.mjs';

const [node, , ...words] = process.argv;
const named = Object.hasOwn(ENTRIES, words[0] ?? '');

if (!isCurrent()) {
  try {
    buildNativeModule();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
  buildQuietly();
}
// Resolve the link, so that this build is used even if another one replaces it in the meantime.
const entry = join(realpathSync(CURRENT), `${named ? words[0] : 'main'}.js`);
process.argv = [node, entry, ...(named ? words.slice(1) : words)];
await import(pathToFileURL(entry).href);

function buildQuietly() {
  const { PATH = '', HOME = '' } = process.env;
  const { status, stdout, stderr, error } = spawnSync(node, [join(ROOT, 'scripts', 'build.mjs')], {
    cwd: ROOT,
    env: { PATH, HOME },
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (status === 0) return;
  process.stderr.write(
    `Could not build the production bundle.\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}\n`,
  );
  process.exit(1);
}
