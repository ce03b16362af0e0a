import { arrivalStamp } from '../../control/fence.ts';
import { StopUntilConfirmed } from '../../control/stop-until-confirmed.ts';
import { ServiceError } from '../../errors.ts';
import type { Events } from '../../events/events.port.ts';
import type { Logger } from '../../observability/logger.ts';
import type { EmergencyStop, RobotLink } from '../port.ts';

/** How often to poll the state in addition to change events: a state that is not repeated becomes unknown. */
const LOOK_MS = 500;
/** Timeout of a stop, after which it is repeated. */
const STOP_TIMEOUT_MS = 5_000;

export interface EmergencyStopParts {
  readonly link: Pick<RobotLink, 'emergencyStop' | 'stop'>;
  readonly events: Events;
  readonly logger: Logger;
  /** The current time in ms since the epoch. */
  readonly clock: () => number;
  /** Called when it is engaged. */
  readonly onEngaged?: () => void;
}

/**
 * Watches the emergency stop of a robot. When it is engaged, the robot is also sent stops until it confirms one: motion
 * started by the service must not resume by itself when the emergency stop is released.
 */
export class EmergencyStopWatch {
  readonly #parts: EmergencyStopParts;
  readonly #stop: StopUntilConfirmed;
  readonly #timer: NodeJS.Timeout | undefined;
  #followed: EmergencyStop | undefined;
  #state: EmergencyStop['state'] | undefined;

  constructor(parts: EmergencyStopParts) {
    this.#parts = parts;
    this.#stop = new StopUntilConfirmed(parts.logger);
    this.#stop.by(() => this.#stopOnce());
    if (!parts.link.emergencyStop) return;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
    this.#look();
  }

  /** @throws ServiceError `estop_engaged`, also while the state is unknown; `busy` until the stop is confirmed. */
  assertReleased(): void {
    this.#look();
    const state = this.#followed?.state ?? 'released';
    if (state !== 'released') throw notReleased(state);
    if (this.#stop.pending) throw stillStopping();
  }

  /** Records that the robot has confirmed a stop begun at this `arrivalStamp`. */
  stopConfirmed(begunAt: number): void {
    this.#stop.confirm(begunAt);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#stop.close();
  }

  #look(): void {
    const { link, events, logger } = this.#parts;
    const present = link.emergencyStop?.();
    if (present !== this.#followed) {
      this.#followed = present;
      present?.onChange(() => this.#look());
    }
    const before = this.#state;
    this.#state = present?.state;
    if (!present || this.#state === before) return;
    const { state, source } = present;
    if (state === 'engaged') {
      this.#stop.begin();
      this.#parts.onEngaged?.();
      logger.warn({ source }, 'the emergency stop of the robot is engaged');
    }
    if (state !== 'released' || before !== undefined) {
      events.publish('safety', `estop_${state}`, { state, source });
    }
  }

  async #stopOnce(): Promise<void> {
    const begunAt = arrivalStamp();
    const deadline = this.#parts.clock() + STOP_TIMEOUT_MS;
    await this.#parts.link.stop({ deadline, signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
    this.#stop.confirm(begunAt);
  }
}

function notReleased(state: 'engaged' | 'unknown'): ServiceError {
  const detail =
    state === 'engaged'
      ? 'The emergency stop of the robot is engaged. Release it at the robot; the service cannot. Motion that it ended does not resume.'
      : "The state of the robot's emergency stop is unknown: it was not reported in the last 2 s. Check the robot and its link; GET /api/v2/estop shows the state.";
  return new ServiceError('estop_engaged', { detail, members: { estop: state, command_ran: 'no' } });
}

function stillStopping(): ServiceError {
  return new ServiceError('busy', {
    detail:
      'The robot has not confirmed the stop that its emergency stop triggered. The stop is being repeated, and motion is refused until it is confirmed. POST /api/v2/stop shows how the robot responds.',
    members: { command_ran: 'no' },
  });
}
