import { spawnSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { codeOf } from '../../functions/shared/kit/error-code.ts';
import { describeWhen } from './components.ts';
import { temporaryFolder } from './world.ts';

const FILLER = 'filler';

/** A disk of its own, which a test may fill to the last byte or make read-only. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all the room that is left. */
  fill(): void;
  /** Gives back what {@link fill} took. */
  free(): void;
  /** Fails while a file on the disk is open for writing. */
  makeReadOnly(): void;
  makeWritable(): void;
}

/**
 * A suite that works on small disks, which are taken away again at its end. Where this user may not mount, it is skipped
 * by name, or fails on CI. `mount` makes a disk of so many bytes.
 */
export function describeOnDisks(name: string, suite: (mount: (bytes: number) => SmallDisk) => void): void {
  describeWhen(mayMount(), 'this user may not mount a disk', name, () => {
    const mounted: string[] = [];
    afterAll(() => {
      // Lazily: a service that has just ended may hold a file for another moment.
      for (const folder of mounted.splice(0)) sure(['umount', '--lazy', folder]);
    });
    suite((bytes) => {
      const folder = temporaryFolder('robot-rest-disk-');
      sure(mounting(folder, bytes));
      mounted.push(folder);
      return diskAt(folder);
    });
  });
}

function diskAt(folder: string): SmallDisk {
  const filler = join(folder, FILLER);
  return {
    folder,
    fill() {
      for (const size of [65_536, 4096, 1]) takeAll(filler, size);
    },
    free: () => rmSync(filler, { force: true }),
    makeReadOnly: () => sure(['mount', '-o', 'remount,ro', folder]),
    makeWritable: () => sure(['mount', '-o', 'remount,rw', folder]),
  };
}

function takeAll(filler: string, size: number): void {
  const chunk = Buffer.alloc(size);
  try {
    for (;;) appendFileSync(filler, chunk);
  } catch (error) {
    if (codeOf(error) !== 'ENOSPC') throw error;
  }
}

function mounting(folder: string, bytes: number): string[] {
  return ['mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'tmpfs', folder];
}

let permitted: boolean | undefined;
function mayMount(): boolean {
  if (permitted !== undefined) return permitted;
  const folder = temporaryFolder('robot-rest-disk-');
  permitted = tell(mounting(folder, 65_536)).status === 0;
  if (permitted) sure(['umount', folder]);
  return permitted;
}

function sure(command: readonly string[]): void {
  const { status, stderr } = tell(command);
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
}

function tell([program = '', ...args]: readonly string[]) {
  return spawnSync(program, args, { encoding: 'utf8' });
}
