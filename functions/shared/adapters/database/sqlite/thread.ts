import { parentPort, workerData } from 'node:worker_threads';
import { toFailure } from './failure.ts';
import { openReader, openWriter } from './jobs.ts';
import type { Ask, ThreadData, Told } from './thread-protocol.ts';

/** Entry of a database thread: opens its connections, then does what it is asked, and tells the outcome. */
async function run({ role, storage }: ThreadData): Promise<void> {
  const ending = new AbortController();
  const jobs = role === 'writer' ? await openWriter(storage, ending.signal) : openReader(storage);
  const underWay = new Set<Promise<void>>();
  parentPort?.on('message', ({ id, job, args }: Ask) => {
    if (job === 'close') {
      ending.abort(new Error('the service is about to end'));
      void Promise.all(underWay).then(() => {
        jobs.close();
        parentPort?.close();
      });
      return;
    }
    const work = answer(id, () => {
      const one = (jobs as Record<string, (...args: unknown[]) => unknown>)[job]; // as: the client's types have chosen job and arguments
      if (!one) throw new Error(`no such job: ${job}`);
      return one(...args);
    });
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  });
}

async function answer(id: number, work: () => unknown): Promise<void> {
  try {
    tell({ id, value: await work() });
  } catch (error) {
    tell({ id, failure: toFailure(error) });
  }
}

function tell(told: Told): void {
  parentPort?.postMessage(told);
}

await answer(0, () => run(workerData as ThreadData)); // as: the client gives nothing else
