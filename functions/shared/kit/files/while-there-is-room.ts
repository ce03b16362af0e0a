import { Transform } from 'node:stream';
import type { DiskReserve } from './disk-reserve.ts';

/** How often it is checked that the disk has room for more, in bytes. */
const CHECK_BYTES = 1024 * 1024;

/** Passes on what is written to a folder, and breaks off before its disk is full. Error: storage_full. */
export function whileThereIsRoom(reserve: DiskReserve, folder: string): Transform {
  let unchecked = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      unchecked += chunk.length;
      if (unchecked < CHECK_BYTES) return done(null, chunk);
      unchecked = 0;
      try {
        reserve.assertRoom(folder, CHECK_BYTES);
        done(null, chunk);
      } catch (error) {
        done(error as Error); // as: it throws nothing else
      }
    },
  });
}
