import { pino } from 'pino';

/** A line waits at most so long, so that a reader who follows the log hardly sees it. */
const LONGEST_WAIT_MS = 50;
/** So much text goes out at once. */
const BUNDLE_BYTES = 64 * 1024;
/** A character of a JavaScript string has at most so many bytes in UTF-8. */
const MOST_BYTES_A_CHARACTER = 3;

/** Where the log goes, and the way to get its last lines out before the process ends. */
export interface LogLines {
  write(line: string): void;
  /** Writes what still waits. A write that is under way meanwhile comes to its end by itself, maybe after these lines. */
  flushSync(): void;
}

/**
 * Lines of busy moments go out together: a write of its own for each costs more than the request it tells of. They wait
 * as bytes, since as text they would stay in the heap as the thousands of pieces they were put together from.
 */
export function openLogLines(fd: number): LogLines {
  const destination = pino.destination({ fd, sync: false });
  const bundle = Buffer.allocUnsafeSlow(BUNDLE_BYTES);
  let used = 0;
  let timer: NodeJS.Timeout | undefined;

  function passOn(): void {
    clearTimeout(timer);
    timer = undefined;
    if (used > 0) destination.write(bundle.toString('utf8', 0, used));
    used = 0;
  }

  return {
    write(line) {
      const room = line.length * MOST_BYTES_A_CHARACTER;
      if (used + room > BUNDLE_BYTES) passOn();
      if (room > BUNDLE_BYTES) {
        destination.write(line);
        return;
      }
      used += bundle.write(line, used);
      timer ??= setTimeout(passOn, LONGEST_WAIT_MS);
    },
    flushSync() {
      passOn();
      destination.flushSync();
    },
  };
}
