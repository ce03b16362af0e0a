/**
 * Runs the production bundle in this very process: `node scripts/start.mjs [main|api-key|jwt-key] [arguments]`.
 * Builds it first when it is missing or was made from other sources; says nothing unless that fails, since the output
 * of the commands is theirs alone (a key on stdout, for instance).
 */
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CURRENT, ENTRIES, isCurrent, ROOT } from './builds.mjs';

const [node, , ...words] = process.argv;
const named = Object.hasOwn(ENTRIES, words[0] ?? '');

if (!isCurrent()) buildQuietly();
// From here on this very build, even if another one takes its place in the meantime.
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
    `The production bundle could not be built.\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}\n`,
  );
  process.exit(1);
}
