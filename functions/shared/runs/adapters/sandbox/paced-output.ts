import type { Readable } from 'node:stream';
import { TokenBucket } from '../../../kit/token-bucket.ts';

/** Bytes of output that are read at once and per second: a flood must not keep the service from its work. */
const PACE = { burst: 1024 * 1024, perSecond: 256 * 1024 };
const PAUSE_MS = 100;

/** Reads the output of a run. A skill that writes faster than this has to wait. */
export function readPaced(stream: Readable, onChunk: (chunk: Buffer) => void): void {
  const bucket = new TokenBucket(PACE);
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => {
    onChunk(chunk);
    if (bucket.take(chunk.length)) return;
    stream.pause();
    const timer = setInterval(() => {
      if (!stream.destroyed && !bucket.take(chunk.length)) return;
      clearInterval(timer);
      stream.resume();
    }, PAUSE_MS).unref();
  });
}
