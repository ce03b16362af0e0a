import { utimesSync } from 'node:fs';
import { codeOf } from '../../functions/shared/kit/error-code.ts';

/** Makes the lock that a killed process has left on this path an old one, which is taken over without a wait. */
export function ageLock(path: string): void {
  try {
    utimesSync(`${path}.lock`, 0, 0);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
