import { execFile } from 'node:child_process';
import type { Logger } from '../../functions/shared/observability/logger.ts';

/** Notifications to the service manager: sd_notify(3). */
interface SdNotify {
  /** The service is listening. Starts feeding the watchdog, if there is one. */
  ready(status: string): void;
  /** The service is shutting down. */
  stopping(): void;
}

const SILENT: SdNotify = { ready() {}, stopping() {} };
const TIMEOUT_MS = 5_000;

/**
 * Notifies systemd if it started this process and asked for notifications, and otherwise does nothing.
 *
 * Node cannot send datagrams to a Unix socket, so `systemd-notify` is used. The watchdog is fed from the event loop at
 * a third of its timeout: a blocked event loop feeds nothing, and systemd restarts the service.
 */
export function createSdNotify(environment: NodeJS.ProcessEnv, logger: Logger): SdNotify {
  const { NOTIFY_SOCKET, PATH = '/usr/bin:/bin' } = environment;
  if (NOTIFY_SOCKET === undefined) return SILENT;
  const intervalMs = watchdogIntervalMs(environment);
  let failureLogged = false;

  function notify(...args: readonly string[]): void {
    const options = { env: { PATH, NOTIFY_SOCKET }, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' as const };
    execFile('systemd-notify', args, options, (error) => {
      if (!error || failureLogged) return;
      failureLogged = true;
      logger.error({ err: error }, 'could not notify systemd');
    });
  }

  return {
    ready(status) {
      notify('--ready', `--status=${status}`);
      if (intervalMs !== undefined) setInterval(() => notify('WATCHDOG=1'), intervalMs).unref();
    },
    stopping() {
      // Draining has its own limit, TimeoutStopSec; the watchdog stays active until then.
      notify('STOPPING=1', '--status=Finishing pending requests');
    },
  };
}

/** How often to feed the watchdog; undefined if none watches this process. */
export function watchdogIntervalMs({ WATCHDOG_USEC, WATCHDOG_PID }: NodeJS.ProcessEnv): number | undefined {
  const allowed = Number(WATCHDOG_USEC) / 1000;
  if (!(allowed > 0) || (WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(process.pid))) return undefined;
  return allowed / 3;
}
