import type { System } from '../../shared/allowed-units.ts';
import { type AllowedUnits, isAllowed, SYSTEMS } from '../../shared/allowed-units.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { ServiceManager, ServiceManagers, Unit } from './port.ts';

interface Unavailable {
  readonly available: false;
  readonly reason: string;
}

/**
 * The allowed units of each computer. If one is unavailable, its entry says why and the other is still listed
 * (specification, section 4.9).
 */
export async function listServices(
  { systems }: ServiceManagers,
  allowed: AllowedUnits,
  signal: AbortSignal,
): Promise<Record<System, Unit[] | Unavailable>> {
  const [head, base] = await Promise.all([
    listSystem(systems.head, allowed.head, signal),
    listSystem(systems.base, allowed.base, signal),
  ]);
  return { head, base };
}

async function listSystem(
  manager: ServiceManager,
  patterns: readonly string[],
  signal: AbortSignal,
): Promise<Unit[] | Unavailable> {
  try {
    const units = await manager.units(patterns, signal);
    return units.filter(({ name }) => isAllowed(patterns, name));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError && error.code === 'component_unavailable')
      return { available: false, reason: error.message };
    throw error;
  }
}

/**
 * Returns the computer if the unit is allowed on it. Neither name is used before this check.
 * @throws ServiceError `unit_not_allowed`, also for units that do not exist, so as not to reveal what else runs there.
 */
export function allowedSystem(allowed: AllowedUnits, systemName: string, unit: string): System {
  const system = SYSTEMS.find((known) => known === systemName);
  if (system && isAllowed(allowed[system], unit)) return system;
  throw new ServiceError('unit_not_allowed', {
    detail: 'Only units listed in SERVICE_ALLOWED_UNITS can be read; get_services_list lists them.',
  });
}
