import { FileFault } from '../functions/shared/adapters/files/watched-file.ts';
import { ensureFirstKey } from '../functions/shared/adapters/key-store/first-key.ts';
import { ConfigError, loadConfig } from '../functions/shared/config.ts';
import { createLogger } from '../functions/shared/logger.ts';
import { maskUrl } from '../functions/shared/mask-url.ts';
import { database } from '../functions/shared/ports.ts';
import { simulatedParts } from '../functions/shared/simulated-parts.ts';
import { openLogLines } from './log-lines.ts';
import { sdNotifyOf } from './sd-notify.ts';
import { startService } from './service.ts';
import { StartError } from './start-error.ts';

/** Whatever hangs at the end, the process is gone by then (systemd would kill it later anyway). */
const LAST_EXIT_MS = 9_500;

/** The log goes to stderr. What is left of it at the end of the process is flushed there. */
const log = openLogLines(2);

/** The process on the robot: settings, listeners, and the way down. Announcements go to stdout, the log to stderr. */
async function main(): Promise<void> {
  const { config, warnings } = loadConfig(process.env);
  const logger = createLogger(config.SERVICE_LOG_LEVEL, log);
  for (const warning of warnings) logger.warn(warning);
  const systemd = sdNotifyOf(process.env, logger);
  const service = await startService({ config, logger });
  let ending = false;
  const end = (signal: NodeJS.Signals) => {
    if (ending) return;
    ending = true;
    logger.info({ signal }, 'ending');
    systemd.stopping();
    setTimeout(() => exit(1), LAST_EXIT_MS).unref();
    service.stop().then(
      () => exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', end).on('SIGINT', end);
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'the process cannot go on');
    exit(1);
  });

  const simulated = simulatedParts(config);
  if (simulated.length > 0) logger.info({ simulated }, 'these parts are simulated');
  const robot = maskUrl(config.SERVICE_ROBOT_URL ?? 'none (set SERVICE_ROBOT_URL)');
  const places = [service.url, service.tlsUrl, service.socketPath].filter((place) => place !== undefined);
  const listening = `Listening on ${places.join(' and ')}`;
  announce(`${listening}; robot: ${robot}`);
  systemd.ready(listening);

  // Not awaited: checking a large database takes a while, and the robot must take commands meanwhile.
  service.ports.get(database).catch((error: unknown) => logger.error({ err: error }, 'the database does not open'));

  await ensureFirstKey(config, (first) => {
    if ('key' in first) announce(`First API key, access level ENCHANTER, shown this once: ${first.key}`);
    else
      logger.warn(
        { path: first.path },
        'the first API key, access level ENCHANTER, was written to this file; read it and remove it',
      );
  });
}

function announce(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(error: unknown): void {
  const foreseen = [ConfigError, StartError, FileFault].some((kind) => error instanceof kind);
  process.stderr.write(`${error instanceof Error ? (foreseen ? error.message : error.stack) : String(error)}\n`);
  exit(1);
}

function exit(code: number): void {
  try {
    log.flushSync();
  } catch {
    // stderr is gone; there is nobody to tell
  }
  process.exit(code);
}

main().catch(fail);
