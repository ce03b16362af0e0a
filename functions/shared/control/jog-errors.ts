import { ServiceError, unavailable } from '../errors.ts';

const members = { command_ran: 'no' };

/** `component_unavailable`: only robots with a watchdog may be driven manually. */
export function noJog(): ServiceError {
  return unavailable(
    'jog',
    'This robot does not guarantee to stop by itself within 500 ms when it receives no more velocities.',
  );
}

/** `component_unavailable`: nobody would end the jog if this process hung. */
export function unguarded(): ServiceError {
  return unavailable(
    'jog',
    'The guard, which stops the robot if this service hangs, gives no sign of life. The robot cannot be driven manually without it.',
  );
}

/** `precondition_failed`: a moving frame without proof that it was sent recently. */
export function oldStamp(maxAgeMs: number): ServiceError {
  return new ServiceError('precondition_failed', {
    detail: `A frame that moves the robot must echo a stamp of this service that is at most ${maxAgeMs} ms old. The stamp of this frame was missing or older, so the frame may have been delayed in a buffer. Echo the stamp of this response.`,
    members,
  });
}

/** `stopped`: the stick must be released first. */
export function notLetGo(): ServiceError {
  return new ServiceError('stopped', {
    detail:
      'A stop ended this jog, or the robot could not be driven while the stick was held. Release the stick: send a frame of zero velocity that echoes the stamp of this response. After that, frames move the robot again unless its emergency stop is engaged (GET /api/v2/estop).',
    members,
  });
}
