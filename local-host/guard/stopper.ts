import { CommandDeadline } from '../../functions/commands/command-deadline.ts';
import type { Config } from '../../functions/shared/config.ts';
import { arrivalStamp } from '../../functions/shared/control/fence.ts';
import { STILL } from '../../functions/shared/control/jog-velocity.ts';
import { StopUntilConfirmed } from '../../functions/shared/control/stop-until-confirmed.ts';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import { asServiceError } from '../../functions/shared/pipeline/render-error.ts';
import type { RobotLink, Sender, StopReport } from '../../functions/shared/robot-link/port.ts';
import type { Acts } from './acts.ts';
import type { FenceFile } from './fence-file.ts';
import type { Hold, StopOrigin } from './messages.ts';

/** How often, and how far apart, a jog is ended by zero velocity: nothing answers it. */
const ZERO_TIMES = 3;
const ZERO_INTERVAL_MS = 20;
const ZERO_VALID_MS = 300;
/** After so long a stop that nobody asked for is told as not confirmed; it is repeated all the same. */
const UNASKED_WAIT_MS = 10_000;
/** How long an answer waits for the service to say that its fence has risen, in ms. */
const FENCED_WAIT_MS = 50;

export interface StopperParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly link: Pick<RobotLink, 'fence' | 'jog' | 'stop'>;
  readonly file: Pick<FenceFile, 'raise' | 'reopen' | 'word'>;
  readonly acts: Acts;
  /** Tells the service of a stop; settles when its fence has risen, or with false after so many ms. */
  readonly tellHost: (word: number, sender: Sender | undefined, waitMs: number) => Promise<boolean>;
}

/** A stop under way. */
export interface GuardStop {
  /** Settles when the robot has confirmed. */
  readonly report: Promise<StopReport>;
  /** Whether the service has confirmed that nothing from before the stop leaves it any more. */
  readonly fenced: Promise<boolean>;
}

/** Stops the robot over the guard's own link. */
export class Stopper {
  readonly #parts: StopperParts;
  readonly #unasked: StopUntilConfirmed;
  #word = 0;

  constructor(parts: StopperParts) {
    this.#parts = parts;
    this.#unasked = new StopUntilConfirmed(parts.logger);
    this.#unasked.by(() => this.#stop().report);
  }

  /** Raises the own word before it returns, and stops the robot. */
  stop(origin: StopOrigin): GuardStop {
    const stop = this.#stop(origin.sender);
    const tell = (outcome: string) => this.#parts.acts.add({ ...origin, why: 'asked', outcome });
    stop.report.then(
      () => tell('ok'),
      (error: unknown) => tell(asServiceError(error).code),
    );
    return stop;
  }

  /** Ends motion that nobody holds any more: a jog by zero velocity, other motion by a stop until it is confirmed. */
  end(kind: Hold['kind'], why: string): void {
    const { logger, acts } = this.#parts;
    logger.warn({ kind, why }, 'the guard ends motion that the service cannot end');
    if (kind === 'jog' && this.#zero(1)) {
      acts.add({ why: kind, outcome: 'sent' });
      return;
    }
    this.#unasked.begin();
    this.#unasked
      .within(UNASKED_WAIT_MS)
      .then((confirmed) => acts.add({ why: kind, outcome: confirmed ? 'ok' : 'robot_timeout' }));
  }

  /** Sends zero velocity, and again a little later. @returns false if it cannot be sent. */
  #zero(times: number): boolean {
    const jog = this.#parts.link.jog?.();
    if (!jog) return false;
    try {
      jog.send({ velocity: STILL, seq: times, validMs: ZERO_VALID_MS });
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'the guard cannot send zero velocity');
      return false;
    }
    if (times < ZERO_TIMES) setTimeout(() => this.#zero(times + 1), ZERO_INTERVAL_MS);
    return true;
  }

  #stop(sender?: Sender): GuardStop {
    const { link, config, logger } = this.#parts;
    const begunAt = arrivalStamp();
    const fenced = this.#raise(sender);
    const report = this.#send(sender);
    report.then(
      () => this.#unasked.confirm(begunAt),
      () => undefined,
    );
    if (!link.fence.ownedByRobot) {
      // What the service had sent before may reach a robot that cannot compare after the stop.
      setTimeout(() => {
        this.#send(sender).catch((error: unknown) => logger.warn({ err: error }, 'the repeated stop failed'));
      }, config.SERVICE_STOP_HOLD_MS).unref();
    }
    return { report, fenced };
  }

  #raise(sender: Sender | undefined): Promise<boolean> {
    const { file, link, logger, tellHost } = this.#parts;
    try {
      file.reopen();
      this.#word = Math.max(this.#word, file.word('guard'), file.word('main')) + 1;
      file.raise(this.#word);
      // One that was replaced in between is raised as it is opened.
      file.reopen();
      void link.fence.advance(file.word('main'));
    } catch (error) {
      this.#word += 1;
      logger.error({ err: error }, 'cannot raise the shared fence');
    }
    return tellHost(this.#word, sender, FENCED_WAIT_MS);
  }

  async #send(sender: Sender | undefined): Promise<StopReport> {
    const { link, config } = this.#parts;
    const deadline = new CommandDeadline(Date.now(), config.SERVICE_COMMAND_TIMEOUT_MS);
    const answer = link.stop(deadline, sender);
    return answer instanceof Promise ? deadline.wait(answer) : answer;
  }
}
