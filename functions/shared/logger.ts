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
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}
