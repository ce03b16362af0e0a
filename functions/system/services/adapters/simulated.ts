import { Readable } from 'node:stream';
import { ServiceError } from '../../../shared/errors.ts';
import { errorOf } from '../../../shared/kit/child-process/running.ts';
import { passes } from '../log-filter.ts';
import { entryTimeOf, microsecondsOf } from '../log-times.ts';
import {
  LOG_WINDOW_MS,
  type LogEntry,
  type LogFilter,
  type LogSelection,
  type ServiceManager,
  type ServiceManagers,
  type Unit,
  type UnitState,
} from '../port.ts';
import { rfc3339 } from './journal-entry.ts';

/** How often each simulated service writes a log line. */
const PERIOD_MS = 2_000;
/** How long a simulated service takes to start. */
const RESTART_MS = 2_000;
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
  /** When each unit was last restarted. */
  const restarts = new Map<string, number>();
  const stateOf = (name: string): UnitState => {
    const underWay = clock() - (restarts.get(name) ?? Number.NEGATIVE_INFINITY) < RESTART_MS;
    return underWay
      ? { active_state: 'activating', sub_state: 'start' }
      : { active_state: 'active', sub_state: 'running' };
  };
  return {
    units: async () => names.map((name) => ({ ...unit(name), ...stateOf(name) })),
    async restart(name) {
      if (!names.includes(name)) {
        throw new ServiceError('not_found', { detail: `There is no simulated unit "${name}" to restart.` });
      }
      restarts.set(name, clock());
      return stateOf(name);
    },
    async logs(name, { lines, after, ...selection }) {
      const all = names.includes(name) ? window(name, clock(), { after, ...selection }) : [];
      const entries = after === undefined ? all.slice(-lines) : all.slice(0, lines);
      const last = entries.at(-1);
      return {
        entries: Readable.from(entries),
        truncated: all.length > lines,
        empty: all.length === 0,
        cursor: last && cursorAt(microsecondsOf(last.timestamp)),
      };
    },
    exists: async (name) => names.includes(name),
    now: async () => clock(),
    follow: async (name, filter, signal) => follow(name, filter, signal, clock),
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

/** The simulated entries reach back this far. */
const KEPT_MS = 24 * LOG_WINDOW_MS;

function window(name: string, now: number, { since, until, after, filter }: Omit<LogSelection, 'lines'>): LogEntry[] {
  const from = after === undefined ? (since ?? (now - LOG_WINDOW_MS) * 1000 + 1) : entryTimeOf(after) + 1;
  const first = Math.ceil(Math.max(from / 1000, now - KEPT_MS) / PERIOD_MS);
  const last = Math.floor(Math.min((until ?? Number.POSITIVE_INFINITY) / 1000, now) / PERIOD_MS);
  const entries = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => entry(name, first + index));
  return entries.filter((one) => passes(one, filter));
}

/** A cursor in the form of the journal's. */
function cursorAt(microseconds: number): string {
  const none = '0'.repeat(32);
  return `s=${none};i=1;b=${none};m=0;t=${microseconds.toString(16)};x=0`;
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

function follow(name: string, filter: LogFilter, signal: AbortSignal, clock: () => number): Readable {
  const entries = new Readable({ objectMode: true, read() {} });
  let last = Math.floor(clock() / PERIOD_MS);
  const timer = setInterval(() => {
    const tick = Math.floor(clock() / PERIOD_MS);
    const next = entry(name, tick);
    if (tick > last && entries.readableLength < 16 && passes(next, filter)) entries.push(next);
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
