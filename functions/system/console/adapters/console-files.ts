import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLED } from '../../../shared/build-info.ts';
import { run } from '../../../shared/kit/child-process/run.ts';
import type { ConsoleEntry, ConsoleFile, ConsoleFiles } from '../port.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
const BUILD_LIMIT_MS = 60_000;
const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

/** Reads the built console into memory: a few files that never change at run time. */
export async function openConsoleFiles(
  folder: string | Promise<string> = BUNDLED ? join(import.meta.dirname, 'console') : built(),
): Promise<ConsoleFiles> {
  const path = await folder;
  const names = (await readdir(path)).filter((name) => mediaTypeOf(name) !== undefined);
  const files = new Map(await Promise.all(names.map(async (name) => [name, await load(path, name)] as const)));
  const entry = JSON.parse(await readFile(join(path, 'entry.json'), 'utf8')) as ConsoleEntry; // as: our build writes it
  return { entry, read: (name) => files.get(name) };
}

async function load(folder: string, name: string): Promise<ConsoleFile> {
  const [bytes, br, gzip] = await Promise.all(['', '.br', '.gz'].map((end) => readFile(join(folder, name + end))));
  if (!bytes || !br || !gzip) throw new Error(`The console lacks ${name} or a compressed form of it.`);
  return { mediaType: mediaTypeOf(name) ?? '', bytes, br, gzip };
}

function mediaTypeOf(name: string): string | undefined {
  return MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)];
}

/** From the sources; what was built from the same ones before is taken. @returns the folder. */
async function built(): Promise<string> {
  const { code, stdout, stderr } = await run([process.execPath, join(ROOT, 'scripts', 'build-console.mjs')], {
    environment: { PATH: '/usr/bin:/bin' },
    signal: new AbortController().signal,
    timeLimit: BUILD_LIMIT_MS,
  });
  if (code !== 0) throw new Error(`Could not build the console. ${stderr}`);
  return stdout.trim();
}
