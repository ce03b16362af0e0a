import { closeSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../functions/shared/kit/error-code.ts';
import { makePrivateFolder, replaceFile } from '../../functions/shared/kit/files/replace-file.ts';

/** Whose word: that of the service, which moves the robot, or that of its guard, which only stops it. */
export type Side = 'main' | 'guard';

const MAGIC = 'fence-1\n';
const WORD_BYTES = 8;
/** Byte offsets. The mark of a side is 1 once it has opened this very file. */
const WORDS: Readonly<Record<Side, number>> = { main: 8, guard: 16 };
const MARKS: Readonly<Record<Side, number>> = { main: 24, guard: 32 };
const FILE_BYTES = 40;

/**
 * The fence that the service and its guard share: a small file, on a memory file system, with one word for each of
 * them. Only its owner writes a word, with one write of eight bytes. A file that was replaced is reopened at the next
 * look, and its words count only once both have done so.
 */
export class FenceFile {
  readonly #path: string;
  readonly #side: Side;
  readonly #buffer = Buffer.alloc(WORD_BYTES);
  #file: { readonly descriptor: number; readonly inode: number } | undefined;
  #own = 0;

  /** Opens the file. The service makes it where it is missing; the guard waits for that. */
  constructor(path: string, side: Side) {
    this.#path = path;
    this.#side = side;
    this.#look();
  }

  /** Reopens the file if it was replaced or damaged. False while there is no usable file. */
  reopen(): boolean {
    try {
      return this.#look();
    } catch {
      this.#close();
      return false;
    }
  }

  /** Whether a side has opened this very file. */
  isOpenedBy(side: Side): boolean {
    return this.#read(MARKS[side]) === 1;
  }

  /** The word of a side; 0 while it has written none. */
  word(side: Side): number {
    return this.#read(WORDS[side]);
  }

  /** Raises the own word, also in a file that takes the place of this one. @throws system errors. */
  raise(number: number): void {
    this.#own = Math.max(this.#own, number);
    this.#write(WORDS[this.#side], this.#own);
  }

  close(): void {
    this.#close();
  }

  #look(): boolean {
    const there = statSync(this.#path, { throwIfNoEntry: false });
    if (this.#file && there?.ino === this.#file.inode && this.#isIntact(this.#file.descriptor)) return true;
    this.#close();
    if (!this.#open() && this.#side === 'main') {
      makePrivateFolder(dirname(this.#path));
      replaceFile(this.#path, MAGIC.padEnd(FILE_BYTES, '\0'));
      this.#open();
    }
    return this.#file !== undefined;
  }

  #open(): boolean {
    const descriptor = openIfThere(this.#path);
    if (descriptor === undefined) return false;
    if (!hasForm(readAll(descriptor))) {
      closeSync(descriptor);
      return false;
    }
    this.#file = { descriptor, inode: fstatSync(descriptor).ino };
    // The number of a side never falls, not even to a file that was put in the place of the former one.
    this.raise(this.word(this.#side));
    this.#write(MARKS[this.#side], 1);
    return true;
  }

  /** Whether nobody else has written into it: it still has its form, and the mark of this side. */
  #isIntact(descriptor: number): boolean {
    const content = readAll(descriptor);
    return hasForm(content) && content.readBigUInt64LE(MARKS[this.#side]) === 1n;
  }

  #close(): void {
    if (this.#file) closeSync(this.#file.descriptor);
    this.#file = undefined;
  }

  #read(offset: number): number {
    if (!this.#file) return 0;
    this.#buffer.fill(0);
    readSync(this.#file.descriptor, this.#buffer, 0, WORD_BYTES, offset);
    return Number(this.#buffer.readBigUInt64LE());
  }

  #write(offset: number, number: number): void {
    if (!this.#file) return;
    const word = Buffer.alloc(WORD_BYTES);
    word.writeBigUInt64LE(BigInt(number));
    writeSync(this.#file.descriptor, word, 0, WORD_BYTES, offset);
  }
}

/** What there is of it, and of what follows it one byte. */
function readAll(descriptor: number): Buffer {
  const content = Buffer.alloc(FILE_BYTES + 1);
  return content.subarray(0, readSync(descriptor, content, 0, content.length, 0));
}

function hasForm(content: Buffer): boolean {
  return content.length === FILE_BYTES && content.toString('latin1', 0, MAGIC.length) === MAGIC;
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r+');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
