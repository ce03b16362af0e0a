import { Readable } from 'node:stream';
import { errorOf } from '../child-process/running.ts';
import { rfc3339 } from './journal-entry.ts';
import { LOG_WINDOW, type LogEntry, type ServiceManager, type ServiceManagers, type Unit } from './port.ts';

/** Each simulated service writes a line so often, in ms. */
const PERIOD = 2_000;
const SAYINGS = ['all is well', 'battery at 87 %', 'pose updated', 'no obstacle in sight', 'heartbeat sent'];

const UNITS: Readonly<Record<'head' | 'base', readonly string[]>> = {
  head: ['robot-behavior.service', 'robot-rest.service', 'robot-speech.service', 'robot-vision.service'],
  base: ['robot-drive.service', 'robot-lidar.service', 'robot-nav.service'],
};

/** Services of a robot that is not there: their lines are functions of the time, and say that they are simulated. */
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
      return { entries: Readable.from(entries.slice(-lines)), truncated: entries.length > lines };
    },
    follow: async (name, signal) => follow(names.includes(name) ? name : undefined, signal, clock),
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
  const newest = Math.floor(now / PERIOD);
  const count = LOG_WINDOW / PERIOD;
  return Array.from({ length: count }, (_, index) => entry(name, newest - count + 1 + index));
}

function entry(name: string, tick: number): LogEntry {
  const saying = SAYINGS[(tick + name.length) % SAYINGS.length];
  return {
    timestamp: rfc3339(tick * PERIOD * 1000),
    priority: 6,
    pid: 1000 + name.length,
    message: `simulated: ${saying}`,
  };
}

function follow(name: string | undefined, signal: AbortSignal, clock: () => number): Readable {
  const entries = new Readable({ objectMode: true, read() {} });
  let last = Math.floor(clock() / PERIOD);
  const timer = setInterval(() => {
    const tick = Math.floor(clock() / PERIOD);
    if (name !== undefined && tick > last && entries.readableLength < 16) entries.push(entry(name, tick));
    last = tick;
  }, PERIOD / 4);
  const end = () => entries.destroy(errorOf(signal.reason));
  signal.addEventListener('abort', end, { once: true });
  entries.once('close', () => {
    clearInterval(timer);
    signal.removeEventListener('abort', end);
  });
  return entries;
}
