import type { Spread } from './stops.ts';

/** The measurements of one listener in one row; times in ms. */
export interface StopRow {
  readonly name: string;
  readonly over: string;
  readonly stops: number;
  /** Stops that were not confirmed or never arrived over the link. */
  readonly failed: number;
  readonly to_link: Spread;
  readonly to_answer: Spread;
  /** Peak memory of the service process in the row (VmHWM), in MiB. */
  readonly peak_mib: number;
}

interface Aim {
  readonly p99_ms: number;
  readonly peak_mib: number;
}

export interface StopResults {
  readonly machine: { readonly node: string; readonly cpu: string; readonly cores: number };
  /** Those of the guard are for the rows whose names begin with it. */
  readonly aim: Aim & { readonly guard: Aim };
  readonly rows: readonly StopRow[];
}

export const HEAD = [
  '| load | over | stops | failed | p50 ms | p99 ms | worst ms | answer p50 ms | answer p99 ms | peak MiB |',
  '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|',
].join('\n');

export function lineOf(row: StopRow): string {
  const { name, over, stops, failed, to_link: link, to_answer: answer, peak_mib: peak } = row;
  const times = [link.p50, link.p99, link.worst, answer.p50, answer.p99].map((ms) => ms.toFixed(1));
  return `| ${[name, over, stops, failed, ...times, peak].join(' | ')} |`;
}

/** What misses the target, one sentence per row. */
export function missesOf({ aim, rows }: StopResults): string[] {
  return rows.flatMap(({ name, over, failed, to_link: link, peak_mib: peak }) => {
    const target = name.startsWith('guard') ? aim.guard : aim;
    const where = `${name}, over ${over}:`;
    return [
      ...(failed > 0 ? [`${where} ${failed} stops failed`] : []),
      ...(link.p99 <= target.p99_ms ? [] : [`${where} p99 is ${link.p99} ms, more than ${target.p99_ms}`]),
      ...(peak <= target.peak_mib ? [] : [`${where} ${peak} MiB of memory, more than ${target.peak_mib}`]),
    ];
  });
}
