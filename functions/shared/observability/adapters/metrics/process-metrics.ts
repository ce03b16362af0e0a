import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const NANOSECONDS = 1e9;

/**
 * The usual metrics of a process, under their usual names: CPU, memory, descriptors, garbage collection, event-loop
 * lag. prom-client's own default metrics cannot be stopped, which keeps a closed service in memory.
 * @returns stops the observation.
 */
export function watchProcess(registry: Registry): () => void {
  const registers = [registry];
  watchProcessor(registers);
  watchMemory(registers);
  gauge(registers, 'process_open_fds', 'Open file descriptors; 0 where the system does not tell.', openDescriptors);
  gauge(registers, 'process_start_time_seconds', 'Start of the process, seconds since the epoch.', processStart);
  const stops = [watchEventLoop(registers), watchCollections(registers)];
  return () => {
    for (const stop of stops) stop();
  };
}

function gauge(registers: Registry[], name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(value());
    },
  });
}

function watchProcessor(registers: Registry[]): void {
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the process, user and system.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}

function watchMemory(registers: Registry[]): void {
  gauge(registers, 'process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  gauge(registers, 'nodejs_heap_size_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed);
  gauge(registers, 'nodejs_heap_size_total_bytes', 'Heap reserved.', () => process.memoryUsage().heapTotal);
  gauge(
    registers,
    'nodejs_external_memory_bytes',
    'Memory held outside the heap.',
    () => process.memoryUsage().external,
  );
}

function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return 0;
  }
}

function processStart(): number {
  return Math.round(Date.now() / 1000 - process.uptime());
}

/** Lag since the previous scrape. */
function watchEventLoop(registers: Registry[]): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const lag = new Gauge({
    name: 'nodejs_eventloop_lag_seconds',
    help: 'Delay of the event loop since the previous scrape, by quantile; 1 is the longest.',
    labelNames: ['quantile'],
    registers,
    collect() {
      const quantiles = { '0.5': delay.percentile(50), '0.99': delay.percentile(99), '1': delay.max };
      for (const [quantile, value] of Object.entries(quantiles)) lag.set({ quantile }, value / NANOSECONDS);
      delay.reset();
    },
  });
  return () => delay.disable();
}

function watchCollections(registers: Registry[]): () => void {
  const pauses = new Histogram({
    name: 'nodejs_gc_duration_seconds',
    help: 'Pauses for garbage collection.',
    buckets: [0.001, 0.01, 0.1, 1],
    registers,
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) pauses.observe(entry.duration / 1000);
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}
