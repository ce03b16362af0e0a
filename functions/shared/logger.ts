import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/**
 * The service's log: JSON lines. Callers pass chosen fields, never a whole event, header, body or URL, so that no
 * secret can reach it; the paths below are the second line of defence.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: ['token', 'password', 'authorization', 'api_key', '*.token', '*.password', '*.authorization'],
      remove: true,
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
