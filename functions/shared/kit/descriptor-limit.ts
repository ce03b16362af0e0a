import { readFileSync } from 'node:fs';

/** What is assumed where the system does not tell: the customary limit. */
const DEFAULT_LIMIT = 1024;

/**
 * Most files, sockets and pipes this process may have open. Node raises the soft limit to the hard one when it starts.
 */
export function descriptorLimit(path = '/proc/self/limits'): number {
  try {
    const soft = /^Max open files +(\d+|unlimited)/m.exec(readFileSync(path, 'utf8'))?.[1];
    if (soft === 'unlimited') return Number.MAX_SAFE_INTEGER;
    return soft === undefined ? DEFAULT_LIMIT : Number(soft);
  } catch {
    return DEFAULT_LIMIT;
  }
}
