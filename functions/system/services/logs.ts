import type { Readable } from 'node:stream';
import type { AllowedUnits } from '../../shared/allowed-units.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { LogsHead } from './log-streams.ts';
import { LOG_WINDOW_MS, type ServiceManager, type ServiceManagers } from './port.ts';
import { allowedSystem } from './services.ts';

interface LogsRequest {
  readonly system: string;
  readonly unit: string;
  readonly signal: AbortSignal;
}

/**
 * The newest entries of the last hour, at most `lines`, oldest first (specification, sections 4.9 and 8).
 * @throws ServiceError `unit_not_allowed`, `not_found`, `component_unavailable`.
 */
export async function readLogs(
  { systems }: ServiceManagers,
  allowed: AllowedUnits,
  { system: name, unit, signal }: LogsRequest,
  lines: number,
  now: number,
): Promise<{ head: LogsHead; entries: Readable }> {
  const system = allowedSystem(allowed, name, unit);
  const since = new Date(now - LOG_WINDOW_MS).toISOString();
  const { entries, truncated, empty } = await systems[system].logs(unit, lines, signal);
  if (empty) await assertExists(systems[system], unit, signal);
  return { head: { system, service: unit, since, truncated }, entries };
}

/**
 * New entries until the signal aborts.
 * @throws ServiceError `unit_not_allowed`, `not_found`, `component_unavailable`, `busy`.
 */
export async function followLogs(
  { systems }: ServiceManagers,
  allowed: AllowedUnits,
  { system: name, unit, signal }: LogsRequest,
): Promise<Readable> {
  const system = allowedSystem(allowed, name, unit);
  await assertExists(systems[system], unit, signal);
  return systems[system].follow(unit, signal);
}

async function assertExists(manager: ServiceManager, unit: string, signal: AbortSignal): Promise<void> {
  if (await manager.exists(unit, signal)) return;
  throw new ServiceError('not_found', {
    detail: `There is neither a unit file nor a journal entry of "${unit}" here. get_services_list lists the units there are.`,
  });
}
