import type { EventRow } from './events.ts';
import type { Measured } from './load.ts';

export interface CommandRow extends Measured {
  readonly name: string;
  readonly connections: number;
}

export interface RouteRow {
  readonly name: string;
  readonly connections: number;
  readonly service: Measured;
  /** The same work on plain node:http. */
  readonly bare: Measured;
}

/** Resident memory of a server in MB: when ready, right after all loads on the command path, and 45 s later. */
export interface MemoryRow {
  readonly name: string;
  readonly after_start: number;
  readonly after_load: number;
  readonly at_rest: number;
}

/** The results of one run; rates in requests per second, times in ms. */
export interface Results {
  readonly machine: { readonly node: string; readonly cpu: string; readonly cores: number };
  readonly rounds: number;
  readonly seconds: number;
  /** From the start of the process to its first response. */
  readonly start_ms: number;
  readonly memory_mb: readonly MemoryRow[];
  readonly commands: readonly CommandRow[];
  readonly routes: readonly RouteRow[];
  /** Beside a bare `ws` server. */
  readonly events: readonly EventRow[];
}

export const OURS = 'robot-rest';

/** Requests per second of a server on the command path; NaN if it was not measured. */
export function rateOf({ commands }: Results, name: string, connections: number): number {
  const found = commands.find((row) => row.name === name && row.connections === connections);
  return found?.requestsPerSecond ?? Number.NaN;
}

/** The numbers of connections, and the other servers, in the order in which they were driven. */
export function axes({ commands }: Results): { connections: number[]; peers: string[] } {
  return {
    connections: [...new Set(commands.map((row) => row.connections))],
    peers: [...new Set(commands.map(({ name }) => name))].filter((name) => !name.startsWith(OURS)),
  };
}

/** The results as tables in Markdown. */
export function printed(results: Results): string {
  const { connections, peers } = axes(results);
  const lines = [
    '| server | connections | requests/s | of bare node:http | p50 ms | p99 ms |',
    '|---|--:|--:|--:|--:|--:|',
  ];
  for (const row of results.commands) {
    const ratio = row.requestsPerSecond / rateOf(results, 'bare', row.connections);
    lines.push(`| ${row.name} | ${row.connections} | ${cells(row, ratio)} |`);
  }
  lines.push(
    '',
    '| work | server | connections | requests/s | of bare node:http | p50 ms | p99 ms |',
    '|---|---|--:|--:|--:|--:|--:|',
  );
  for (const { name, connections: many, service, bare } of results.routes) {
    lines.push(`| ${name} | bare | ${many} | ${cells(bare, 1)} |`);
    lines.push(`| | ${OURS} | ${many} | ${cells(service, service.requestsPerSecond / bare.requestsPerSecond)} |`);
  }
  lines.push('');
  for (const peer of peers) {
    const ratios = connections.map((many) => (rateOf(results, OURS, many) / rateOf(results, peer, many)).toFixed(2));
    lines.push(`${OURS} against ${peer}: ${ratios.join(', ')} times at ${connections.join(', ')} connections`);
  }
  lines.push('', '| server | memory after start, MB | after load, MB | 45 s later, MB |', '|---|--:|--:|--:|');
  for (const { name, after_start, after_load, at_rest } of results.memory_mb) {
    lines.push(`| ${name} | ${after_start} | ${after_load} | ${at_rest} |`);
  }
  lines.push('', ...printedEvents(results.events));
  lines.push('', `start-up of ${OURS} to its first answer: ${results.start_ms} ms`);
  return `${lines.join('\n')}\n`;
}

/** The rows of events as a table in Markdown. */
export function printedEvents(rows: readonly EventRow[]): string[] {
  return [
    `| events | ${OURS} | bare ws | ratio | aim |`,
    '|---|--:|--:|--:|--:|',
    ...rows.map(({ name, unit, aim, service, bare }) => {
      const ratio = bare > 0 ? (service / bare).toFixed(1) : '';
      return `| ${name} | ${service} ${unit} | ${bare} ${unit} | ${ratio} | ${aim} ${unit} |`;
    }),
  ];
}

function cells({ requestsPerSecond, p50, p99 }: Measured, ratio: number): string {
  const rate = requestsPerSecond < 100 ? requestsPerSecond.toFixed(1) : Math.round(requestsPerSecond);
  return `${rate} | ${ratio.toFixed(2)} | ${p50} | ${p99}`;
}
