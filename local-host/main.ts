import { parseArgs } from 'node:util';
import { database } from '../functions/database/ports.ts';
import { fillWithStarterRows } from '../functions/database/starter-rows.ts';
import { ConfigError, loadConfig } from '../functions/shared/config.ts';
import { ensureFirstKey } from '../functions/shared/identity/adapters/key-store/first-key.ts';
import {
  prepareSocketGeneration,
  socketGenerationPath,
} from '../functions/shared/identity/adapters/revocations/socket-generation.ts';
import { FileFault } from '../functions/shared/kit/files/watched-file.ts';
import { createLogger } from '../functions/shared/observability/logger.ts';
import { maskUrl } from '../functions/shared/observability/mask-url.ts';
import { sandboxProbe } from '../functions/shared/runs/ports.ts';
import { simulatedParts } from '../functions/shared/simulated-parts.ts';
import { exitCodeOf } from './cli/entry.ts';
import { LIMITS } from './http/limits.ts';
import { LogDestination } from './log-destination.ts';
import { startService } from './service.ts';
import { StartError } from './start-error.ts';
import { createSdNotify } from './systemd/sd-notify.ts';

const USAGE = `Usage:
  npm start                the service, until it is told to end
  npm start -- --empty     without the rows of a small robot that a simulated one begins with
  npm start -- --help | --version

Settings come from the environment (SERVICE_…); docs/configuration.md lists them.`;

/** The process exits by then even if shutdown hangs, before systemd would kill it. */
const FORCED_EXIT_MS = 9_000;
/** How long the last log lines may take. */
const LOG_CLOSE_MS = 1_000;

const log = new LogDestination(2);
// Where a disk is full, announcements are lost; the service is not.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

/** Starts the service, unless the command line asks for something else or is invalid. */
async function main(): Promise<void> {
  let empty = false;
  let starts = false;
  const code = await exitCodeOf(USAGE, process.argv.slice(2), async () => {
    ({ empty = false } = parseArgs({ options: { empty: { type: 'boolean' } } }).values);
    starts = true;
  });
  if (starts) await start(empty);
  else process.exitCode = code;
}

/** Loads the settings, starts the service and shuts it down. Announcements go to stdout, the log to stderr. */
async function start(empty: boolean): Promise<void> {
  const { config, warnings } = loadConfig(process.env);
  const logger = createLogger(config.SERVICE_LOG_LEVEL, log);
  for (const warning of warnings) logger.warn(warning);
  const systemd = createSdNotify(process.env, logger);
  const service = await startService({ config, logger }, LIMITS, process.env);
  let shuttingDown = false;
  const shutDown = (signal: NodeJS.Signals) => {
    if (shuttingDown) return;
    shuttingDown = true;
    logger.info({ signal }, 'shutting down');
    systemd.stopping();
    setTimeout(() => exit(1), FORCED_EXIT_MS).unref();
    service.stop().then(
      () => exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', shutDown).on('SIGINT', shutDown);
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    exit(1);
  });

  const simulated = simulatedParts(config);
  if (simulated.length > 0) logger.info({ simulated }, 'some parts are simulated');
  const robot = maskUrl(config.SERVICE_ROBOT_URL ?? 'none (set SERVICE_ROBOT_URL)');
  const addresses = [service.url, service.tlsUrl, service.socketPath].filter((address) => address !== undefined);
  const listening = `Listening on ${addresses.join(' and ')}`;
  announce(`${listening}; robot: ${robot}; data: ${config.SERVICE_DATA_DIR}`);
  systemd.ready(listening);

  if (!config.fleet) {
    // Not awaited: it starts programs. A run waits until it is known.
    const probe = await service.ports.get(sandboxProbe);
    probe().catch((error: unknown) => logger.error({ err: error }, 'could not look for a sandbox for skills'));
  }

  // Not awaited: checking a large database takes a while, and the robot must accept commands meanwhile.
  service.ports
    .get(database)
    .then(async (opened) => {
      const isEmpty = config.SERVICE_MODE === 'robot' || empty;
      if (opened.isNew && !isEmpty) await fillWithStarterRows(opened);
    })
    .catch((error: unknown) => logger.error({ err: error }, 'could not open or fill the database'));

  await prepareSocketGeneration(socketGenerationPath(config));
  await ensureFirstKey(config, (first) => {
    if ('key' in first) announce(`First API key, access level ENCHANTER, shown this once: ${first.key}`);
    else
      logger.warn(
        { path: first.path },
        'wrote the first API key (access level ENCHANTER) to this file; read it, then delete the file',
      );
  });
}

function announce(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(error: unknown): void {
  const expected = [ConfigError, StartError, FileFault].some((kind) => error instanceof kind);
  process.stderr.write(`${error instanceof Error ? (expected ? error.message : error.stack) : String(error)}\n`);
  exit(1);
}

function exit(code: number): void {
  void log.close(LOG_CLOSE_MS).then((closed) => {
    if (closed) process.exit(code);
    else process.kill(process.pid, 'SIGKILL');
  });
}

main().catch(fail);
