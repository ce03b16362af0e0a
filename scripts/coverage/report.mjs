import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import coverage from 'istanbul-lib-coverage';
import { createContext } from 'istanbul-lib-report';
import reports from 'istanbul-reports';
import { ROOT } from '../builds.mjs';

/** Minimum percentage of covered lines, and of covered branches. */
const WANTED = 95;

/** Merges the coverage of jest, programs and threads into a coverage in which nothing ran. */
export function countedMap(nothingYet, { jest, counters }) {
  const map = coverage.createCoverageMap(nothingYet);
  if (existsSync(jest)) map.merge(JSON.parse(readFileSync(jest, 'utf8')));
  for (const name of readdirSync(counters).filter((name) => name.endsWith('.json'))) {
    const counted = JSON.parse(readFileSync(join(counters, name), 'utf8'));
    for (const [path, counts] of Object.entries(counted)) {
      map.addFileCoverage({ ...nothingYet.fileCoverageFor(path).toJSON(), ...counts });
    }
  }
  return map;
}

/** Prints the figures of each folder and writes the HTML report. @returns whether coverage is sufficient. */
export function report(map, pages) {
  reports.create('html').execute(createContext({ dir: pages, coverageMap: map }));
  const rows = folders(map).map((folder) => [folder, ...figures(map, folder)]);
  const all = figures(map, '');
  say(['folder', 'lines %', 'branches %'], ...rows, ['all', ...all]);
  process.stdout.write(`Line by line: ${relative(process.cwd(), join(pages, 'index.html'))}\n`);
  const enough = all.every((percent) => percent >= WANTED);
  if (!enough) process.stderr.write(`The tests must cover ${WANTED} % of all lines and of all branches.\n`);
  return enough;
}

/** The measured folders, and their subfolders that contain code. */
function folders(map) {
  const paths = map.files().map((file) => relative(ROOT, file).split('/'));
  const found = paths.flatMap((parts) => [parts[0], parts.slice(0, Math.min(2, parts.length - 1)).join('/')]);
  return [...new Set(found)].sort();
}

function figures(map, folder) {
  const summary = coverage.createCoverageSummary();
  for (const file of map.files().filter((file) => file.startsWith(join(ROOT, folder, '/')))) {
    summary.merge(map.fileCoverageFor(file).toSummary());
  }
  return [summary.lines.pct, summary.branches.pct];
}

function say(...rows) {
  for (const [name, ...cells] of rows) {
    process.stdout.write(`${name.padEnd(28)}${cells.map((cell) => String(cell).padStart(12)).join('')}\n`);
  }
}
