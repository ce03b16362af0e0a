import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { ConfigError, loadConfig } from '../../functions/shared/config.ts';
import { createLogger, type Logger } from '../../functions/shared/observability/logger.ts';
import { LogDestination } from '../log-destination.ts';
import { openServiceManager } from '../systemd/watchdog-helper.ts';
import { GuardInUse, startGuard } from './guard.ts';

/** How long the last log lines may take. */
const LOG_CLOSE_MS = 500;
/** The highest, as a nice value. */
const PRIORITY = -20;
/** Exit code: another service is guarded in the same folder. */
const IN_USE = 3;

const log = new LogDestination(2);
process.stderr.on('error', () => undefined);

/** Runs the guard: `guard.js [pid of the service that starts it]`. Logs to stderr. */
async function main(): Promise<void> {
  const { config } = loadConfig(process.env);
  const logger = createLogger(config.SERVICE_LOG_LEVEL, log).child({ program: 'guard' });
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    exit(1);
  });
  const [pid] = process.argv.slice(2);
  // The service that has started it tells it when to end; a signal to both must not leave the service without it.
  if (pid !== undefined) process.on('SIGINT', () => undefined).on('SIGHUP', () => undefined);
  process.on('SIGTERM', () => exit(0));
  preferToService(logger);
  const manager = openServiceManager(process.env, logger);
  if (config.stopServer !== 'guard') {
    logger.info('there is no robot that needs a guard: SERVICE_ROBOT_URL names none behind a broker or a rosbridge');
    setInterval(() => undefined, 2 ** 30);
  } else {
    await startGuard({ config, logger, hostPid: pid === undefined ? undefined : Number(pid), exit });
  }
  manager.ready();
}

/** Where both share a core, it runs before the service: one in trouble is often a busy one. */
function preferToService(logger: Logger): void {
  try {
    setPriority(PRIORITY);
    // It has a session of its own, and with that a share of its own.
    writeFileSync('/proc/self/autogroup', String(PRIORITY));
  } catch (error) {
    // Only root may. On a robot its unit has a weight of its own.
    logger.debug({ err: error }, 'the guard has the priority of the service');
  }
}

function exit(code: number): void {
  void log.close(LOG_CLOSE_MS).then(() => process.exit(code));
}

main().catch((error: unknown) => {
  const expected = error instanceof ConfigError || error instanceof GuardInUse;
  process.stderr.write(`guard: ${error instanceof Error ? (expected ? error.message : error.stack) : String(error)}\n`);
  exit(error instanceof GuardInUse ? IN_USE : 1);
});
