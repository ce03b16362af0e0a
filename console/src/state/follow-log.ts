import type { Robot } from '../../../clients/typescript/src/index.ts';
import type { LogLine } from './log-lines.ts';

const FIRST_LINES = 1000;
/** Lines are handed over so often: a burst of thousands is one change of the page. */
const HAND_OVER_MS = 100;
const RETRY_MS = 2000;

export interface LogListener {
  lines(lines: readonly LogLine[]): void;
  /** Lines may be missing. */
  gap(): void;
  /** Undefined: it works again. */
  problem(error: unknown): void;
}

/** The newest lines of a unit, then new ones as they are written, until the signal; interruptions are bridged. */
export async function followLog(
  robot: Robot,
  { system, unit }: { readonly system: 'head' | 'base'; readonly unit: string },
  listener: LogListener,
  signal: AbortSignal,
): Promise<void> {
  let waiting: LogLine[] = [];
  let newest: string | undefined;
  let isReady = false;
  const hand = (lines: readonly LogLine[]) => {
    // What is followed begins before the newest lines are asked for: some come twice.
    const fresh = newest === undefined ? lines : lines.filter(({ timestamp }) => timestamp > (newest ?? ''));
    newest = fresh.at(-1)?.timestamp ?? newest;
    if (fresh.length > 0) listener.lines(fresh);
  };
  const timer = setInterval(() => {
    if (isReady && waiting.length > 0) hand(waiting.splice(0));
  }, HAND_OVER_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  const begin = async () => {
    const path = { system, service_name: unit };
    const query = { lines: FIRST_LINES };
    const { entries } = await robot.call('get', '/api/v2/service/{system}/{service_name}', { path, query });
    if (signal.aborted) return;
    hand(entries);
    isReady = true;
    listener.problem(undefined);
  };
  while (!signal.aborted) {
    try {
      const events = robot.events([`logs/${system}/${unit}`], { signal, interruptions: true });
      if (!isReady) void begin().catch((error: unknown) => listener.problem(error));
      for await (const event of events) {
        if (event.kind === 'interrupted') listener.problem(event.error);
        else if (event.kind === 'gap') {
          listener.gap();
          void begin().catch((error: unknown) => listener.problem(error));
        } else if (event.kind === 'event') {
          waiting.push(event.data as LogLine); // as: the topic's schema
          if (waiting.length > 50_000) waiting = waiting.slice(-10_000);
          listener.problem(undefined);
        }
      }
    } catch (error) {
      if (!signal.aborted) listener.problem(error);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
