import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Resources of a process: bytes of memory, open descriptors by kind, and child processes. */
export interface Holdings {
  readonly memory: number;
  readonly descriptors: readonly string[];
  readonly children: readonly string[];
}

export function holdingsOf(pid: number): Holdings {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    memory: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`).replace(/:\[\d+\]$/, '')];
      } catch {
        return []; // closed in the meantime
      }
    }),
    children: readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean),
  };
}

/** Temporary files of operations in progress, relative to the folder. */
export function temporaryFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.split('/').some((name) => /^\.|^unfinished-|\.(tmp|new|lock)$/.test(name)),
  );
}

/** Lines of the log from level error on. */
export function loggedErrors(logFile: string): string[] {
  return readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"/.test(line));
}

export const dataFolder = (home: string): string => join(home, '.robot-rest');
