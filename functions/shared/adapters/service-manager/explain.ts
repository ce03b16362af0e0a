import { type ServiceError, unavailable } from '../../errors.ts';
import { CommandFailure } from '../child-process/running.ts';
import type { System } from './port.ts';

/** The failure of a command as an error that says on which computer and what to do. Any other error as it is. */
export function explain(system: System, error: unknown): unknown {
  return error instanceof CommandFailure ? explained(system, error) : error;
}

function explained(system: System, error: CommandFailure): ServiceError {
  switch (error.kind) {
    case 'unreachable':
      return unavailable(system, error.message, error);
    case 'missing':
      return unavailable(`systemd of ${system}`, `Install it: ${error.message}.`, error);
    case 'time-limit':
    case 'output-cap':
      return unavailable(`systemd of ${system}`, `${error.message}. Ask again.`, error);
  }
}
