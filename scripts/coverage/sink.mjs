/**
 * Collects the coverage of a process; imported by each instrumented file. Does nothing inside jest, which collects its
 * own coverage, but covers the programs, threads and functions that tests start.
 */
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';

const FOLDER = '<counters>'; // filled in during instrumentation, because tests do not pass an environment variable on
/** Saved regularly, because a process that is killed has no chance to. */
const SAVE_INTERVAL_MS = 100;

if (!import.meta.jest && !globalThis.__coverage_kept__) {
  globalThis.__coverage_kept__ = true;
  const file = join(FOLDER, `${process.pid}-${randomBytes(6).toString('hex')}.json`);
  const keep = () => {
    const counters = Object.entries(globalThis.__coverage__ ?? {}).map(([path, { s, f, b }]) => [path, { s, f, b }]);
    try {
      writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(counters)));
      renameSync(`${file}.new`, file);
    } catch {
      // A program that cannot write there, or whose disk is full, is not counted; its test continues.
    }
  };
  process.on('exit', keep);
  setInterval(keep, SAVE_INTERVAL_MS).unref();
  // A thread that is terminated has no chance either, so it saves before each message.
  const post = parentPort?.postMessage.bind(parentPort);
  if (post) {
    parentPort.postMessage = (...message) => {
      keep();
      post(...message);
    };
  }
}
