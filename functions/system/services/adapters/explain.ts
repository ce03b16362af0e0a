import type { System } from '../../../shared/allowed-units.ts';
import { type ServiceError, unavailable } from '../../../shared/errors.ts';
import { CommandFailure } from '../../../shared/kit/child-process/running.ts';

/**
 * Converts a CommandFailure to a ServiceError that names the computer and the remedy. Returns other errors unchanged.
 */
export function explain(system: System, error: unknown): unknown {
  return error instanceof CommandFailure ? toServiceError(system, error) : error;
}

function toServiceError(system: System, error: CommandFailure): ServiceError {
  switch (error.kind) {
    case 'unreachable':
      return unavailable(system, error.message, error);
    case 'missing':
      return unavailable(`systemd of ${system}`, `Install it: ${error.message}.`, error);
    case 'time-limit':
    case 'output-cap':
      return unavailable(`systemd of ${system}`, `${error.message}. Try again.`, error);
  }
}
