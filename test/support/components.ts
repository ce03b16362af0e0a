import { existsSync } from 'node:fs';
import { describe, it } from '@jest/globals';

/**
 * A suite that needs a program of the operating system. Where that is missing the suite is skipped and its name says
 * why; on CI, where everything has to be installed, it fails instead, so that nothing is left out in silence.
 */
export function describeWith(component: string, path: string, name: string, suite: () => void): void {
  if (existsSync(path)) describe(name, suite);
  else if (process.env.CI === 'true') {
    it(`${name}: needs ${component}`, () => {
      throw new Error(`${component} is not installed (${path}); CI must have it.`);
    });
  } else describe.skip(`${name} (skipped: ${component} is not installed)`, suite);
}
