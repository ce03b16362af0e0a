import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './world.ts';

export interface Unpacked {
  readonly folder: string;
  /** As the archive has them, in its order. */
  readonly members: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into manifests of every shape
  readonly manifest: any;
}

/** Unpacks an archive with the system's own tar. @throws where that finds it damaged. */
export function unpack(archive: Buffer): Unpacked {
  const folder = temporaryFolder('robot-rest-archive-');
  const tar = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('tar', args, { input: archive, encoding: 'utf8' });
    if (status !== 0) throw new Error(`tar: ${stderr}`);
    return stdout;
  };
  tar('-xzf', '-', '-C', folder);
  const members = tar('-tzf', '-').trim().split('\n');
  return { folder, members, manifest: JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) };
}

/** Packs what {@link unpack} has unpacked, or something made by hand, with the system's tar. */
export function repack(folder: string, members: readonly string[], ...options: string[]): Buffer {
  const list = join(temporaryFolder(), 'members');
  writeFileSync(list, members.join('\n'));
  const args = ['-czf', '-', '-C', folder, '--no-recursion', '-P', ...options, '-T', list];
  const { status, stdout, stderr } = spawnSync('tar', args, { maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`tar: ${stderr}`);
  return stdout;
}

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** The digest of each file below a folder, by its path. */
export function digestsBelow(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(folder, name)).isFile()).sort();
  return Object.fromEntries(files.map((name) => [name, sha256(readFileSync(join(folder, name)))]));
}
