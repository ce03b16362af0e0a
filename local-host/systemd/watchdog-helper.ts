import { spawn } from 'node:child_process';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import { watchdogIntervalMs } from './sd-notify.ts';

/** Passes each line that it is told on to the service manager, as one datagram: sd_notify(3). */
const HELPER = `
import os, socket, sys
address = os.environ["NOTIFY_SOCKET"]
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.connect("\\0" + address[1:] if address.startswith("@") else address)
for line in sys.stdin:
    manager.send(line.strip().encode())
`;

/** What is said to the service manager that has started this process; nothing if none has. */
interface ServiceManager {
  /** What this process is for is being done: a unit of Type=notify counts as started. Feeds the watchdog from now on. */
  ready(): void;
}

/**
 * Feeds the watchdog of systemd, if one watches this process, at a third of its timeout and from the event loop. Node
 * cannot send datagrams to a Unix socket, and a process for each sign fails under the pressure that a guard is meant
 * for: one helper, started now, sends them all. Where there is no Python, each sign is a process after all.
 */
export function openServiceManager(environment: NodeJS.ProcessEnv, logger: Logger): ServiceManager {
  const { NOTIFY_SOCKET, PATH = '/usr/bin:/bin' } = environment;
  if (NOTIFY_SOCKET === undefined) return { ready() {} };
  const env = { PATH, NOTIFY_SOCKET };
  const helper = spawn('python3', ['-I', '-S', '-c', HELPER], { env, stdio: ['pipe', 'ignore', 'inherit'] });
  let isReady = false;
  let helps = true;
  const notify = (line: string) => {
    if (helps) helper.stdin.write(`${line}\n`);
    else spawn('systemd-notify', [line], { env, stdio: 'ignore' }).on('error', () => undefined);
  };
  const lose = (reason: unknown) => {
    if (!helps) return;
    helps = false;
    logger.error({ reason }, 'the helper that feeds the watchdog has ended; each sign is a process now');
    if (isReady) notify('READY=1'); // it may have ended before it had read that
  };
  helper.once('error', lose).once('exit', (code, signal) => lose({ code, signal }));
  helper.stdin.on('error', lose);
  return {
    ready() {
      isReady = true;
      notify('READY=1');
      const intervalMs = watchdogIntervalMs(environment);
      if (intervalMs === undefined) return;
      const feed = () => notify('WATCHDOG=1');
      feed();
      setInterval(feed, intervalMs).unref();
    },
  };
}
