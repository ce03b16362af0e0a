import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import coverage from 'istanbul-lib-coverage';
import { createInstrumenter } from 'istanbul-lib-instrument';
import { ROOT } from '../builds.mjs';

const MEASURED = ['functions', 'local-host'];
/** Generated in the copy, or not needed there. */
const LEFT_OUT = /^(?:\.git|coverage|dist|dist-lambda.*|node_modules|.*\.log)$/;

/**
 * Copies the project to `copy`, with counters in every source that is measured.
 * @returns the coverage of a run in which nothing ran: each statement and branch there is.
 */
export function instrumentedCopy({ copy, counters }) {
  mkdirSync(copy, { recursive: true });
  mkdirSync(counters, { recursive: true });
  chmodSync(counters, 0o777); // some tests start the service as another user
  for (const entry of readdirSync(ROOT).filter((name) => !LEFT_OUT.test(name))) {
    cpSync(join(ROOT, entry), join(copy, entry), { recursive: true });
  }
  // Linked file by file, where that goes: builds copy from there, and resolve packages by the path.
  const linked = spawnSync('cp', ['-al', join(ROOT, 'node_modules'), copy]);
  if (linked.status !== 0) cpSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), { recursive: true });

  const sink = join(copy, 'scripts', 'coverage', 'sink.mjs');
  writeFileSync(
    sink,
    readFileSync(sink, 'utf8').replace("'<counters>'", () => JSON.stringify(counters)),
  );
  const map = coverage.createCoverageMap();
  for (const file of MEASURED.flatMap((folder) => sourcesIn(join(copy, folder)))) {
    map.addFileCoverage(instrument(file, join(ROOT, relative(copy, file)), sink));
  }
  return map;
}

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.m?ts$|\.m?js$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Adds counters to a file. Types are kept and not counted; the compiler strips them. */
function instrument(file, original, sink) {
  const instrumenter = createInstrumenter({ esModules: true, compact: false, parserPlugins: ['typescript'] });
  const code = instrumenter.instrumentSync(readFileSync(file, 'utf8'), original);
  writeFileSync(file, `import ${JSON.stringify(sink)};\n${code}`);
  return instrumenter.lastFileCoverage();
}
