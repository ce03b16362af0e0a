import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/**
 * The service's log: JSON lines. Callers pass chosen fields, never a whole event, header, body or URL, so that no
 * secret can reach it; tests read the log of a running service for secrets.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: isoTime(),
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** The time as ISO 8601 text, put together once for all lines of the same millisecond. */
function isoTime(): () => string {
  let millisecond = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== millisecond) {
      millisecond = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}
