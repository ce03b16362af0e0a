/**
 * Keeps what a process counts: each instrumented file imports this one. Inside jest it does nothing, since jest collects
 * the counters of its own; what is left are the programs, threads and functions that tests start.
 */
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = '<counters>'; // filled in when the sources are instrumented: a test gives programs no environment of ours
/** Threads that are terminated and processes that are killed see no end of their own. */
const EVERY_MS = 250;

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
}
