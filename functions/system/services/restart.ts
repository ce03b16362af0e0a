import { type AllowedUnits, isAllowed, SYSTEMS, type System } from '../../shared/allowed-units.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { ServiceManagers, UnitState } from './port.ts';

/** On head: who answers this request, and who stops the robot when nobody else does. */
const OWN_UNITS: ReadonlySet<string> = new Set(['robot-rest.service', 'robot-rest-guard.service']);

/** The computer on which the unit may be restarted. Neither name is used before. @throws ServiceError `unit_not_allowed`. */
function restartableOn(restartable: AllowedUnits, systemName: string, unit: string): System {
  const system = SYSTEMS.find((known) => known === systemName);
  const own = system === 'head' && OWN_UNITS.has(unit);
  if (system && !own && isAllowed(restartable[system], unit)) return system;
  throw new ServiceError('unit_not_allowed', {
    detail:
      'Only units listed in SERVICE_RESTARTABLE_UNITS can be restarted, and never those of this service and its guard.',
  });
}

/**
 * Restarts a unit, and gives its state while that is under way.
 * @throws ServiceError `unit_not_allowed`, `not_found`, `component_unavailable`.
 */
export async function restartUnit(
  { systems }: ServiceManagers,
  restartable: AllowedUnits,
  { system: name, unit }: { readonly system: string; readonly unit: string },
  signal: AbortSignal,
): Promise<{ system: System; service: string } & UnitState> {
  const system = restartableOn(restartable, name, unit);
  const { active_state, sub_state } = await systems[system].restart(unit, signal);
  return { system, service: unit, active_state, sub_state };
}
