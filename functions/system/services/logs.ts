import type { Readable } from 'node:stream';
import { LOG_WINDOW, type ServiceManagers } from '../../shared/adapters/service-manager/port.ts';
import type { AllowedUnits } from '../../shared/allowed-units.ts';
import type { LogsHead } from './log-streams.ts';
import { requireAllowed } from './services.ts';

export interface LogsRequest {
  readonly system: string;
  readonly unit: string;
  readonly signal: AbortSignal;
}

/**
 * The newest entries of the last hour, `lines` at most, oldest first (specification, sections 4.9 and 8).
 * Errors: unit_not_allowed, component_unavailable.
 */
export async function readLogs(
  { systems }: ServiceManagers,
  allowed: AllowedUnits,
  { system: name, unit, signal }: LogsRequest,
  lines: number,
  now: number,
): Promise<{ head: LogsHead; entries: Readable }> {
  const system = requireAllowed(allowed, name, unit);
  const since = new Date(now - LOG_WINDOW).toISOString();
  const { entries, truncated } = await systems[system].logs(unit, lines, signal);
  return { head: { system, service: unit, since, truncated }, entries };
}

/** New entries until the signal aborts. Errors: unit_not_allowed, component_unavailable, busy. */
export function followLogs(
  { systems }: ServiceManagers,
  allowed: AllowedUnits,
  { system, unit, signal }: LogsRequest,
): Promise<Readable> {
  return systems[requireAllowed(allowed, system, unit)].follow(unit, signal);
}
