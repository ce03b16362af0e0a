import { ServiceError } from '../../../errors.ts';
import type { JsonObject, JsonValue } from '../../../json.ts';
import type { Calls } from './calls.ts';
import type { Lanes } from './lanes.ts';

const LONGEST_REASON = 300;

/** Calls of services (rosbridge protocol, sections 3.3.8 and 3.3.9). */
export class Services {
  readonly #lanes: () => Lanes;
  readonly #calls: Calls;

  constructor(lanes: () => Lanes, calls: Calls) {
    this.#lanes = lanes;
    this.#calls = calls;
  }

  /** The answer as it came. Errors: `robot_unavailable`, or the reason of the signal. */
  call(service: string, type: string | undefined, args: JsonValue, signal: AbortSignal): Promise<JsonObject> {
    return this.#calls.ask((id) => this.#lanes().ordinary.send(request(id, service, type, args)), signal);
  }

  /** As {@link call}, ahead of everything and however many wait. */
  callUrgently(service: string, type: string | undefined, args: JsonValue, signal: AbortSignal): Promise<JsonObject> {
    const send = (id: string) => this.#lanes().urgent.sendUrgently(request(id, service, type, args));
    return this.#calls.ask(send, signal, true);
  }

  /** What the service answered. @throws ServiceError `robot_error` when it failed. */
  valuesOf(service: string, { result, values = null }: JsonObject): JsonValue {
    if (result !== false) return values;
    const reason = typeof values === 'string' && values !== '' ? values : 'the robot does not say why';
    throw this.refused(`The service ${service} failed: ${reason}`);
  }

  refused(sentence: string): ServiceError {
    return refusal(sentence);
  }
}

/** `robot_error` in the robot's own words, cut to a line that can be read; further ones tell of its inside. */
export function refusal(sentence: string): ServiceError {
  const [line = ''] = sentence.split('\n', 1);
  const short = line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON)}…` : line;
  return new ServiceError('robot_error', { detail: /[.!?…]$/.test(short) ? short : `${short}.` });
}

/** Whether a call failed since there is no such service; the servers of both generations say it in these words only. */
export function isAbsent({ values }: JsonObject): boolean {
  return typeof values === 'string' && values.includes('does not exist');
}

function request(id: string, service: string, type: string | undefined, args: JsonValue): JsonObject {
  return { op: 'call_service', id, service, args, ...(type !== undefined && { type }) };
}
