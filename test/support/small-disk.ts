import { execFileSync } from 'node:child_process';
import { temporaryFolder } from './world.ts';

const mounted: string[] = [];
process.on('exit', () => {
  for (const folder of mounted) execFileSync('umount', ['--lazy', folder]);
});

/** A folder on a disk of its own of so many bytes, or undefined where this user may not mount one. */
export function smallDisk(bytes: number): string | undefined {
  const folder = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  mounted.push(folder);
  return folder;
}
