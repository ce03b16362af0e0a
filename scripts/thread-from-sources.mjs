/**
 * Runs a worker thread from the TypeScript sources. A thread does not inherit the main thread's loader, and a loader of
 * its own takes six times as long as one bundle, made once for each state of the sources.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BUNDLE, ROOT, sourcesFingerprint, THREADS } from './builds.mjs';

const CACHE = join(ROOT, 'node_modules', '.cache', 'robot-rest');
const UNUSED_AFTER_MS = 3_600_000;

/** Runs the thread of this name in {@link THREADS}, in the calling thread. */
export async function runFromSources(name) {
  const bundle = join(CACHE, `${name}-${sourcesFingerprint()}.mjs`);
  if (!statSync(bundle, { throwIfNoEntry: false })) await make(THREADS[name], bundle);
  await import(pathToFileURL(bundle).href);
}

async function make(entry, bundle) {
  const { build } = await import('esbuild');
  const unfinished = join(CACHE, `unfinished-${process.pid}-${performance.now()}.mjs`);
  mkdirSync(CACHE, { recursive: true });
  await build({ ...BUNDLE, entryPoints: [entry], outfile: unfinished });
  renameSync(unfinished, bundle);
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > UNUSED_AFTER_MS) rmSync(path, { force: true });
  }
}
