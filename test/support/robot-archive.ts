import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './world.ts';

export interface Unpacked {
  readonly folder: string;
  /** As the archive has them, in its order. */
  readonly members: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into manifests of every shape
  readonly manifest: any;
}

/** Unpacks any `.tar.gz` with the system's own tar. @returns the folder. @throws where that finds it damaged. */
export function unpackAny(archive: Buffer): string {
  const folder = temporaryFolder('robot-rest-archive-');
  tar(archive, '-xzf', '-', '-C', folder);
  return folder;
}

function tar(archive: Buffer, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('tar', args, { input: archive, encoding: 'utf8' });
  if (status !== 0) throw new Error(`tar: ${stderr}`);
  return stdout;
}

/** Unpacks a backup of a robot. */
export function unpack(archive: Buffer): Unpacked {
  const folder = unpackAny(archive);
  const members = tar(archive, '-tzf', '-').trim().split('\n');
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

/** The digest of each file below a folder, by its path; links are none. */
export function digestsBelow(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => lstatSync(join(folder, name)).isFile()).sort();
  return Object.fromEntries(files.map((name) => [name, sha256(readFileSync(join(folder, name)))]));
}

/** A header of a member (POSIX.1-1988, ustar) that says anything. `type`: `0` is a file, `x` more about the next member. */
export function tarHeader(name: string, size = 0, type = '0'): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write(`0000600\0${'0'.repeat(7)}\0${'0'.repeat(7)}\0`, 100);
  block.write(`${size.toString(8).padStart(11, '0').slice(-11)} ${'0'.repeat(11)} `, 124);
  if (size >= 8 ** 11) block.write(`80${size.toString(16).padStart(22, '0')}`, 124, 'hex'); // as GNU tar does
  block.write(`        ${type}`, 148);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
