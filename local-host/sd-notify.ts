import { execFile } from 'node:child_process';
import type { Logger } from '../functions/shared/logger.ts';

/** What the service manager is told: sd_notify(3). */
export interface SdNotify {
  /** The service listens. From here on the watchdog is fed, where one watches. */
  ready(status: string): void;
  /** The service is on its way down. */
  stopping(): void;
}

const SILENT: SdNotify = { ready() {}, stopping() {} };
const PATIENCE_MS = 5000;

/**
 * The service manager (systemd) that started this process, if one did and wants to hear from it.
 *
 * Node cannot send the datagrams itself, so systemd's own `systemd-notify` does. The watchdog is fed from the event loop,
 * at a third of the time it allows: a loop that is stuck feeds nothing, and systemd starts the service anew.
 */
export function sdNotifyOf(environment: NodeJS.ProcessEnv, logger: Logger): SdNotify {
  const { NOTIFY_SOCKET, PATH = '/usr/bin:/bin' } = environment;
  if (NOTIFY_SOCKET === undefined) return SILENT;
  const interval = feedingInterval(environment);
  let complained = false;

  function tell(...words: readonly string[]): void {
    const options = { env: { PATH, NOTIFY_SOCKET }, timeout: PATIENCE_MS, killSignal: 'SIGKILL' as const };
    execFile('systemd-notify', words, options, (error) => {
      if (!error || complained) return;
      complained = true;
      logger.error({ err: error }, 'systemd cannot be told how the service is');
    });
  }

  return {
    ready(status) {
      tell('--ready', `--status=${status}`);
      if (interval !== undefined) setInterval(() => tell('WATCHDOG=1'), interval).unref();
    },
    stopping() {
      // The drain has its own time limit, TimeoutStopSec; until then the watchdog still counts.
      tell('STOPPING=1', '--status=Finishing the requests that are under way');
    },
  };
}

/** Milliseconds between two feedings; undefined where no watchdog watches this very process. */
function feedingInterval({ WATCHDOG_USEC, WATCHDOG_PID }: NodeJS.ProcessEnv): number | undefined {
  const allowed = Number(WATCHDOG_USEC) / 1000;
  if (!(allowed > 0) || (WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(process.pid))) return undefined;
  return allowed / 3;
}
