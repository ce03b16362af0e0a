import { Readable } from 'node:stream';
import type { Page, Requester, RowStream } from '../../port.ts';
import type { TableName } from '../../tables.ts';
import type { ReaderJobs } from './jobs.ts';
import type { RowForm } from './row-format.ts';
import type { ThreadClient } from './thread-client.ts';
import { type Chunk, MAX_IDLE_MS, MAX_READING_MS } from './thread-protocol.ts';

/** Rows of a table as a stream that asks the reading thread for more only when it is read; ends with the signal. */
export async function streamRows(
  thread: ThreadClient<ReaderJobs>,
  table: TableName,
  page: Page,
  { signal, owner }: Requester,
  form: RowForm = 'json',
): Promise<RowStream> {
  const { id, total, chunk } = await thread.call('start', table, page, owner, form);
  return {
    total,
    body: chunk.more ? long(thread, id, chunk, signal) : Readable.from([chunk.bytes], { objectMode: false }),
  };
}

function long(thread: ThreadClient<ReaderJobs>, id: number, first: Chunk, signal: AbortSignal): Readable {
  let ready: Chunk | undefined = first;
  let ended = false;
  // The thread ends an idle reading as well; this cuts off its client, who would otherwise wait for ever.
  const idle = setTimeout(() => body.destroy(tooSlow(MAX_IDLE_MS)), MAX_IDLE_MS).unref();
  const life = setTimeout(() => body.destroy(tooSlow(MAX_READING_MS)), MAX_READING_MS).unref();
  const body = new Readable({
    read() {
      idle.refresh();
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
      clearTimeout(idle);
      clearTimeout(life);
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

function tooSlow(afterMs: number): Error {
  return new Error(`the client took more than ${afterMs / 1000} s to read a table, or the next part of it`);
}
