import { parentPort, workerData } from 'node:worker_threads';
import { toFailure } from '../../../shared/thread-failure.ts';
import { named } from './failure.ts';
import { openReader, openWriter } from './jobs.ts';
import type { ThreadData, ThreadReply, ThreadRequest } from './thread-protocol.ts';

/** A database thread: opens its connections, then runs jobs and posts their results. */
export function runJobs(): void {
  const { role, storage } = workerData as ThreadData; // as: the client gives nothing else
  const ending = new AbortController();
  const opening = role === 'writer' ? openWriter(storage, ending.signal) : Promise.resolve(storage).then(openReader);
  opening.catch(() => {}); // every job answers with the reason
  const underWay = new Set<Promise<void>>();

  parentPort?.on('message', (request: ThreadRequest) => {
    if (request.job === 'close') {
      ending.abort(new Error('the service is about to end'));
      void Promise.all(underWay).then(() => close(opening));
      return;
    }
    const work = answer(opening, request);
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  });
}

type Opening = Promise<object & { close(): void }>;

async function answer(opening: Opening, { id, job, args }: ThreadRequest): Promise<void> {
  try {
    post({ id, value: await run(opening, job, args) });
  } catch (error) {
    post({ id, failure: toFailure(named(error)) });
  }
}

async function run(opening: Opening, name: string, args: readonly unknown[]): Promise<unknown> {
  const jobs = await opening;
  if (name === 'open') return undefined;
  const job = (jobs as unknown as Record<string, (...args: unknown[]) => unknown>)[name]; // as: the client's types have chosen job and arguments
  if (!job) throw new Error(`no such job: ${name}`);
  return job(...args);
}

async function close(opening: Opening): Promise<void> {
  const jobs = await opening.catch(() => undefined);
  jobs?.close();
  parentPort?.close();
}

function post(reply: ThreadReply): void {
  parentPort?.postMessage(reply);
}
