/**
 * Measures what the tests run of functions/ and local-host/: `npm run coverage [-- arguments of jest]`.
 *
 * Much of the service runs outside of jest: as the production bundle, as threads, as programs started from sources. So
 * the sources themselves are instrumented, in a copy of the project, and the tests run in that copy: whatever runs there,
 * however it was compiled, counts statements and branches of the TypeScript as it was written.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../builds.mjs';
import { instrumentedCopy } from './copy.mjs';
import { countedMap, report } from './report.mjs';

const OUT = join(ROOT, 'coverage');
const PLACES = {
  /** The copy of the project, in which the tests run. */
  copy: join(OUT, 'project'),
  /** What programs and threads counted, a file each. */
  counters: join(OUT, 'counters'),
  /** What jest counted. */
  jest: join(OUT, 'jest', 'coverage-final.json'),
  /** The pages that show each line. */
  pages: join(OUT, 'report'),
};

rmSync(OUT, { recursive: true, force: true });
const nothingYet = instrumentedCopy(PLACES);
const { status } = spawnSync(
  process.execPath,
  ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--ci', '--config', 'jest.coverage.config.js'].concat(
    process.argv.slice(2),
  ),
  { cwd: PLACES.copy, stdio: 'inherit' },
);
const enough = report(countedMap(nothingYet, PLACES), PLACES.pages);
rmSync(PLACES.copy, { recursive: true, force: true });
process.exitCode = status === 0 && enough ? 0 : 1;
