import { pino } from 'pino';

/** A line waits at most so long, so that a reader who follows the log hardly sees it. */
const LONGEST_WAIT_MS = 50;
/** So much text goes out at once. */
const BUNDLE_CHARACTERS = 64 * 1024;

/** Where the log goes, and the way to get its last lines out before the process ends. */
export interface LogLines {
  write(line: string): void;
  /** Writes what still waits. A write that is under way meanwhile comes to its end by itself, maybe after these lines. */
  flushSync(): void;
}

/** Lines of busy moments go out together: a write of its own for each costs more than the request it tells of. */
export function openLogLines(fd: number): LogLines {
  const destination = pino.destination({ fd, sync: false });
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;

  function passOn(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== '') destination.write(waiting);
    waiting = '';
  }

  return {
    write(line) {
      waiting += line;
      if (waiting.length >= BUNDLE_CHARACTERS) passOn();
      else timer ??= setTimeout(passOn, LONGEST_WAIT_MS);
    },
    flushSync() {
      passOn();
      destination.flushSync();
    },
  };
}
