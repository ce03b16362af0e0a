import type { Readable } from 'node:stream';
import type * as z from 'zod';
import type { AllowedUnits } from '../../shared/allowed-units.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { LogsHead } from './log-streams.ts';
import { entryTimeOf, microsecondsOf } from './log-times.ts';
import type { LogsQuery } from './logs.schema.ts';
import { MAX_LINES } from './logs.schema.ts';
import { LOG_WINDOW_MS, type LogFilter, type LogSelection, type ServiceManager, type ServiceManagers } from './port.ts';
import { allowedSystem } from './services.ts';

type Query = z.output<typeof LogsQuery>;

interface LogsRequest {
  readonly system: string;
  readonly unit: string;
  readonly query: Query;
  readonly signal: AbortSignal;
}

/**
 * The newest entries of the window, or the oldest after a cursor; oldest first (specification, sections 4.9 and 8).
 * @throws ServiceError `unit_not_allowed`, `not_found`, `component_unavailable`.
 */
export async function readLogs(
  { systems }: ServiceManagers,
  allowed: AllowedUnits,
  { system: name, unit, query, signal }: LogsRequest,
  now: number,
): Promise<{ head: LogsHead; entries: Readable }> {
  const system = allowedSystem(allowed, name, unit);
  const selection = selectionOf(query);
  const { entries, truncated, empty, cursor } = await systems[system].logs(unit, selection, signal);
  if (empty) await assertExists(systems[system], unit, signal);
  const since = new Date(startOf(selection, now)).toISOString();
  return { head: { system, service: unit, since, truncated, cursor: cursor ?? query.cursor ?? null }, entries };
}

function selectionOf({ lines = MAX_LINES, since, until, cursor, ...rest }: Query): LogSelection {
  const end = until === undefined ? undefined : microsecondsOf(until);
  const start = since === undefined ? undefined : microsecondsOf(since);
  const hourBefore = end === undefined || cursor !== undefined ? undefined : Math.max(0, end - LOG_WINDOW_MS * 1000);
  return { lines, since: start ?? hourBefore, until: end, after: cursor, filter: filterOf(rest) };
}

function filterOf({ priority, q }: Pick<Query, 'priority' | 'q'>): LogFilter {
  return { priority, text: q };
}

/** In ms since the epoch. */
function startOf({ since, after }: LogSelection, now: number): number {
  if (after !== undefined) return Math.floor(entryTimeOf(after) / 1000);
  return since === undefined ? now - LOG_WINDOW_MS : Math.floor(since / 1000);
}

/**
 * New entries until the signal aborts.
 * @throws ServiceError `unit_not_allowed`, `not_found`, `component_unavailable`, `busy`.
 */
export async function followLogs(
  { systems }: ServiceManagers,
  allowed: AllowedUnits,
  { system: name, unit, query, signal }: LogsRequest,
): Promise<Readable> {
  const system = allowedSystem(allowed, name, unit);
  await assertExists(systems[system], unit, signal);
  return systems[system].follow(unit, filterOf(query), signal);
}

async function assertExists(manager: ServiceManager, unit: string, signal: AbortSignal): Promise<void> {
  if (await manager.exists(unit, signal)) return;
  throw new ServiceError('not_found', {
    detail: `There is neither a unit file nor a journal entry of "${unit}" here. get_services_list lists the units there are.`,
  });
}
