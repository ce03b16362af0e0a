import { Transform } from 'node:stream';
import type { ArrivingBytes } from './arriving-bytes.ts';

/** Passes on what is on its way to a folder, and breaks off before its disk is full. Error: storage_full. */
export function whileThereIsRoom(arriving: ArrivingBytes): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        arriving.add(chunk.length);
        done(null, chunk);
      } catch (error) {
        done(error as Error); // as: it throws nothing else
      }
    },
  });
}
