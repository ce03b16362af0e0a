import { parentPort, workerData } from 'node:worker_threads';
import { toFailure } from '../../../shared/thread-failure.ts';
import { change, toJson } from '../yaml/work.ts';
import type { ThreadJob, ThreadResult } from './thread-protocol.ts';

// Entry of the thread that parses a large configuration. It ends after one job, and returns the memory that took.

parentPort?.postMessage(outcome(workerData as ThreadJob)); // as: the client gives nothing else

function outcome(job: ThreadJob): ThreadResult {
  try {
    const bytes = Buffer.from(job.bytes.buffer, job.bytes.byteOffset, job.bytes.byteLength);
    return job.change ? change(bytes, job.change) : { bytes: toJson(bytes), answer: '' };
  } catch (error) {
    return { failure: toFailure(error) };
  }
}
