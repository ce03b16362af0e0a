import { Readable } from 'node:stream';
import { errorOf } from '../../../shared/kit/child-process/running.ts';
import { LOG_WINDOW_MS, type LogEntry, type ServiceManager, type ServiceManagers, type Unit } from '../port.ts';
import { rfc3339 } from './journal-entry.ts';

/** How often each simulated service writes a log line. */
const PERIOD_MS = 2_000;
const MESSAGES = ['all is well', 'pose updated', 'no obstacle in sight', 'heartbeat sent'];

const UNITS: Readonly<Record<'head' | 'base', readonly string[]>> = {
  head: ['robot-behavior.service', 'robot-rest.service', 'robot-speech.service', 'robot-vision.service'],
  base: ['robot-drive.service', 'robot-lidar.service', 'robot-nav.service'],
};

/** Simulated services. Their log lines are a function of time, and say that they are simulated. */
export function simulatedServices(clock: () => number): ServiceManagers {
  return {
    kind: 'simulated',
    systems: { head: simulatedManager(UNITS.head, clock), base: simulatedManager(UNITS.base, clock) },
    close() {},
  };
}

function simulatedManager(names: readonly string[], clock: () => number): ServiceManager {
  return {
    units: async () => names.map(unit),
    async logs(name, lines) {
      const entries = names.includes(name) ? window(name, clock()) : [];
      return {
        entries: Readable.from(entries.slice(-lines)),
        truncated: entries.length > lines,
        empty: entries.length === 0,
      };
    },
    exists: async (name) => names.includes(name),
    follow: async (name, signal) => follow(name, signal, clock),
  };
}

function unit(name: string): Unit {
  return {
    name,
    description: `${name.replace('.service', '')} (simulated)`,
    load_state: 'loaded',
    active_state: 'active',
    sub_state: 'running',
    enabled: true,
  };
}

/** The entries of the last hour. */
function window(name: string, now: number): LogEntry[] {
  const newest = Math.floor(now / PERIOD_MS);
  const count = LOG_WINDOW_MS / PERIOD_MS;
  return Array.from({ length: count }, (_, index) => entry(name, newest - count + 1 + index));
}

function entry(name: string, tick: number): LogEntry {
  const text = MESSAGES[(tick + name.length) % MESSAGES.length];
  return {
    timestamp: rfc3339(tick * PERIOD_MS * 1000),
    priority: 6,
    pid: 1000 + name.length,
    message: `simulated: ${text}`,
  };
}

function follow(name: string, signal: AbortSignal, clock: () => number): Readable {
  const entries = new Readable({ objectMode: true, read() {} });
  let last = Math.floor(clock() / PERIOD_MS);
  const timer = setInterval(() => {
    const tick = Math.floor(clock() / PERIOD_MS);
    if (tick > last && entries.readableLength < 16) entries.push(entry(name, tick));
    last = tick;
  }, PERIOD_MS / 4);
  const end = () => entries.destroy(errorOf(signal.reason));
  signal.addEventListener('abort', end, { once: true });
  entries.once('close', () => {
    clearInterval(timer);
    signal.removeEventListener('abort', end);
  });
  return entries;
}
