/**
 * Keeps what a process counts: each instrumented file imports this one. Inside jest it does nothing, since jest collects
 * the counters of its own; what is left are the programs, threads and functions that tests start.
 */
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';

const FOLDER = '<counters>'; // filled in when the sources are instrumented: a test gives programs no environment of ours
/** A process that is killed sees no end of its own. */
const EVERY_MS = 100;

if (!import.meta.jest && !globalThis.__coverage_kept__) {
  globalThis.__coverage_kept__ = true;
  const file = join(FOLDER, `${process.pid}-${randomBytes(6).toString('hex')}.json`);
  const keep = () => {
    const counters = Object.entries(globalThis.__coverage__ ?? {}).map(([path, { s, f, b }]) => [path, { s, f, b }]);
    try {
      writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(counters)));
      renameSync(`${file}.new`, file);
    } catch {
      // A program that may not write there, or whose disk is full, is not counted; its test goes on as it is.
    }
  };
  process.on('exit', keep);
  setInterval(keep, EVERY_MS).unref();
  // Nor does a thread that is terminated; what it tells before is the last that is heard of it.
  const tell = parentPort?.postMessage.bind(parentPort);
  if (tell) {
    parentPort.postMessage = (...message) => {
      keep();
      tell(...message);
    };
  }
}
