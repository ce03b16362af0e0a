import type { ServiceManager, ServiceManagers, System, Unit } from '../../shared/adapters/service-manager/port.ts';
import { SYSTEMS } from '../../shared/adapters/service-manager/port.ts';
import { type AllowedUnits, isAllowed } from '../../shared/allowed-units.ts';
import { ServiceError } from '../../shared/errors.ts';

interface Unavailable {
  readonly available: false;
  readonly reason: string;
}

/**
 * The allowed units of each computer. One that cannot be asked says why; the other still answers (specification,
 * section 4.9).
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
    const units = await manager.units(signal);
    return units.filter(({ name }) => isAllowed(patterns, name));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError && error.code === 'component_unavailable')
      return { available: false, reason: error.message };
    throw error;
  }
}

/**
 * The computer, when the unit is among its allowed ones. Nothing of either name is used before. Error: unit_not_allowed,
 * the same for units that do not exist: what else runs there is nobody's business.
 */
export function requireAllowed(allowed: AllowedUnits, systemName: string, unit: string): System {
  const system = SYSTEMS.find((known) => known === systemName);
  if (system && isAllowed(allowed[system], unit)) return system;
  throw new ServiceError('unit_not_allowed', {
    detail: 'Only units that SERVICE_ALLOWED_UNITS covers can be read; get_services_list names them.',
  });
}
