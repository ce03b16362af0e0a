import { existsSync } from 'node:fs';
import { describe, it } from '@jest/globals';

/**
 * A suite that needs something of the machine. Where that is absent the suite is skipped and its name says why; on CI,
 * where everything has to be there, it fails instead, so that nothing is left out in silence. `absence` is a sentence
 * without its full stop.
 */
export function describeWhen(present: boolean, absence: string, name: string, suite: () => void): void {
  if (present) describe(name, suite);
  else if (process.env.CI === 'true') {
    it(`${name}: ${absence}`, () => {
      throw new Error(`${absence}; CI must be able to run this.`);
    });
  } else describe.skip(`${name} (skipped: ${absence})`, suite);
}

/** A suite that needs a program of the operating system, see {@link describeWhen}. */
export function describeWith(component: string, path: string, name: string, suite: () => void): void {
  describeWhen(existsSync(path), `${component} is not installed (${path})`, name, suite);
}
