import { execFileSync } from 'node:child_process';
import { temporaryFolder } from './world.ts';

export interface SmallDisk {
  readonly folder: string;
  /** Takes it away again, with all that is on it. */
  unmount(): void;
}

/** A disk of its own of so many bytes, or undefined where this user may not mount one. */
export function smallDisk(bytes: number): SmallDisk | undefined {
  const folder = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return { folder, unmount: () => execFileSync('umount', ['--lazy', folder]) };
}
