import { Readable } from 'node:stream';
import type { Page, RowStream } from '../port.ts';
import type { Chunk } from './cursors.ts';
import type { ReaderJobs } from './jobs.ts';
import type { ThreadClient } from './thread-client.ts';

/** Rows of a table as a stream that asks the reading thread for more only when somebody takes it; ends with the signal. */
export async function streamRows(
  thread: ThreadClient<ReaderJobs>,
  table: string,
  page: Page,
  signal: AbortSignal,
): Promise<RowStream> {
  const { id, total, chunk } = await thread.call('start', table, page);
  return {
    total,
    body: chunk.more ? long(thread, id, chunk, signal) : Readable.from([chunk.bytes], { objectMode: false }),
  };
}

function long(thread: ThreadClient<ReaderJobs>, id: number, first: Chunk, signal: AbortSignal): Readable {
  let ready: Chunk | undefined = first;
  let ended = false;
  const body = new Readable({
    read() {
      const next = ready ? Promise.resolve(ready) : thread.call('continue', id);
      ready = undefined;
      next.then(
        ({ bytes, more }) => {
          this.push(bytes);
          if (more) return;
          ended = true;
          this.push(null);
        },
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      signal.removeEventListener('abort', hangUp);
      if (!ended) thread.call('end', id).catch(() => {}); // a thread that died has ended it
      done(error);
    },
  });
  const hangUp = () => body.destroy();
  signal.addEventListener('abort', hangUp);
  if (signal.aborted) hangUp();
  return body;
}
