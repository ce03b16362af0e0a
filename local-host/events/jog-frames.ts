import type { Caller } from '../../functions/shared/access.ts';
import type { JogOutcome, JogSource } from '../../functions/shared/control/jog.ts';
import type { JogController } from '../../functions/shared/control/jog-controller.ts';
import { unavailable } from '../../functions/shared/errors.ts';
import type { ServerMessage } from '../../functions/shared/events/messages.schema.ts';
import { asServiceError } from '../../functions/shared/pipeline/render-error.ts';

const MARK = '"jog"';
/** Finds jog frames that are not valid JSON, for example because of NaN. */
const JOG_TYPE = /"type"\s*:\s*"jog"/;

/**
 * Returns the content of a message if it is a jog frame. Jog frames have their own rate limit and do not wait for other
 * messages. A frame that is not valid JSON counts as zero velocity.
 */
export function jogFrameIn(data: Buffer, isBinary: boolean): object | string | undefined {
  if (isBinary || !data.includes(MARK)) return undefined;
  const text = data.toString('utf8');
  try {
    const { type, ...frame } = JSON.parse(text);
    return type === 'jog' ? frame : undefined;
  } catch {
    return JOG_TYPE.test(text) ? text : undefined;
  }
}

/** The jog frames of one connection. */
export class JogFrames {
  readonly #jogs: JogController | undefined;
  readonly #from: Pick<JogSource, 'address' | 'listener'>;
  #source: JogSource | undefined;

  /** @param jogs undefined if jog is not available. */
  constructor(jogs: JogController | undefined, from: Pick<JogSource, 'address' | 'listener'>) {
    this.#jogs = jogs;
    this.#from = from;
  }

  /** Handles a frame. @param arrivedAt `arrivalStamp` at its arrival. @returns the answer. */
  take(frame: object | string, { clientId, keyId }: Caller, arrivedAt: number): ServerMessage {
    if (!this.#jogs) return ackOf({ seq: null, stamp: '', error: elsewhere() });
    this.#source ??= { clientId, keyId, ...this.#from };
    return ackOf(this.#jogs.take(frame, this.#source, arrivedAt));
  }

  /** Called when the connection is closed or about to be. */
  close(): void {
    if (this.#source) this.#jogs?.disconnect(this.#source);
  }
}

function ackOf({ error, ...reply }: JogOutcome): ServerMessage {
  if (error === undefined) return { type: 'jog_ack', ...reply };
  const { code, message: detail } = asServiceError(error);
  return { type: 'jog_ack', ...reply, error: { code, detail } };
}

function elsewhere() {
  return unavailable('jog', 'It is only available on the robot itself.');
}
