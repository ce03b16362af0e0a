import type { Fence } from '../../../control/fence.ts';
import { ServiceError } from '../../../errors.ts';
import { type JsonObject, type JsonValue, jsonPointer } from '../../../kit/json.ts';
import {
  Declined,
  Replaced,
  type RobotAnswer,
  type RobotCommand,
  type Sender,
  type SendOptions,
  Unanswered,
} from '../../port.ts';
import { tooLate } from '../robot-errors.ts';
import type { ActionForm } from './action-form.ts';
import type { Connections } from './connections.ts';
import type { Drives } from './drives.ts';
import type { Goals } from './goals.ts';
import type { RosbridgeJog } from './jog.ts';
import type { ActionGoal, MappedCommand, MappedPublication, ServiceCall, Way } from './mapping.ts';
import { runMissionCommand } from './missions.ts';
import { fromHere } from './pose.ts';
import type { Pauses, Publications } from './publications.ts';
import { refusal, type Services } from './services.ts';
import { type Scope, type Template, UnfitValue } from './template.ts';
import type { Topics } from './topics.ts';

/** What a command is carried out with. */
export interface Tools {
  readonly connections: Connections;
  readonly services: Services;
  readonly topics: Topics;
  readonly publications: Publications;
  readonly goals: Goals;
  readonly drives: Drives;
  readonly fence: Fence;
  readonly form: ActionForm;
  readonly pauses: Pauses;
  readonly clock: () => number;
  /** Absent where the robot cannot be driven by hand. */
  readonly jog?: RosbridgeJog;
}

/** A command under way: what its templates refer to, when it arrived, who waits. */
interface Run {
  readonly scope: Scope;
  readonly arrivedAt: number | undefined;
  readonly sender: Sender;
  readonly signal: AbortSignal;
  readonly isDrive: boolean;
  readonly command: string;
  readonly answer: (more: Scope, plain: JsonValue) => JsonValue;
}

/**
 * Carries out one command as the mapping says and makes the answer.
 * @throws ServiceError `validation_failed` for a value the templates cannot use, `stopped`, `robot_error`,
 * `robot_unavailable`, `robot_timeout`; or the reason of the signal.
 */
export async function runWay(
  tools: Tools,
  { spec, way, relativeTo, result }: MappedCommand,
  { value, sender, arrivedAt }: RobotCommand,
  { signal, deadline }: SendOptions,
): Promise<RobotAnswer> {
  const { form, topics, drives, fence, clock } = tools;
  const isDrive = spec.replaces === true;
  if (way.way === 'action' && !(await form.isServed(way.action.name, signal))) return notServed(way.action);
  let scope: Scope = { value };
  let replaced = false;
  do {
    if (isDrive) {
      // What would be refused must not end a drive.
      fence.admit(arrivedAt);
      if (clock() >= deadline) throw tooLate();
      replaced = (await drives.endAll(signal)) || replaced;
    }
    if (relativeTo) {
      const message = await topics.latest(relativeTo.name, relativeTo.max_age_ms, signal);
      const { target, frame } = fromHere(value as JsonObject, message, relativeTo.pose); // as: the kind is coordinates
      scope = { value: target, frame };
    }
    if (way.way === 'service' || way.way === 'publish' || way.way === 'action') {
      // Those who waited together look again: the first may have sent a goal.
      while (!form.listening) await form.whenListening(signal);
      signal.throwIfAborted();
      if (clock() >= deadline) throw tooLate();
    }
    // So do drives that waited for the same one to end.
  } while (isDrive && drives.anyUnderWay);
  const answer = (more: Scope, plain: JsonValue) => (result ? fill(result, { ...scope, ...more }) : plain);
  const run: Run = { scope, arrivedAt, sender, signal, isDrive, command: spec.name, answer };
  const outcome = await carryOut(tools, way, run);
  return replaced ? new Replaced(outcome) : outcome;
}

async function carryOut(tools: Tools, way: Way, run: Run): Promise<JsonValue | Declined | Unanswered> {
  const { scope, sender, signal, answer } = run;
  switch (way.way) {
    case 'service':
      return callService(tools, way.service, run);
    case 'publish':
      await publish(tools, way.publish, run);
      return new Unanswered(answer({ answer: null }, { sent: true }));
    case 'action':
      return sendGoal(tools, way.action, run);
    case 'topic': {
      const message = await tools.topics.latest(way.topic.name, way.topic.max_age_ms, signal);
      return answer({ answer: message }, message);
    }
    case 'mission': {
      const { goals, form } = tools;
      const id = typeof scope.value === 'string' ? scope.value : '';
      const report = await runMissionCommand(way.mission, { goals, form, id, clientId: sender.clientId, signal });
      return answer({ answer: report }, report);
    }
  }
}

async function callService({ services, drives }: Tools, call: ServiceCall, run: Run): Promise<JsonValue> {
  const request = { service: call.name, type: call.type, args: fill(call.args, run.scope) };
  const answering = services.call(request, run.arrivedAt, run.signal);
  if (run.isDrive) drives.noteCall(answering);
  const answer = await answering;
  const values = services.valuesOf(call.name, answer);
  requireSuccess(call, { ...run.scope, answer: values });
  return run.answer({ answer: values }, values);
}

/**
 * @throws ServiceError `robot_error` unless the service answered that it succeeded, where the mapping asks for that.
 */
export function requireSuccess({ name, success, message }: ServiceCall, scope: Scope): void {
  if (!success || fill(success, scope) === true) return;
  const reason = message ? fill(message, scope) : undefined;
  const words = typeof reason === 'string' && reason !== '' ? reason : 'the robot does not say why';
  throw refusal(`The service ${name} did not succeed: ${words}`);
}

/** Publishes as often as the mapping says. What the server says against it comes before the end of a round trip. */
async function publish(tools: Tools, { name, message, times, every_ms }: MappedPublication, run: Run): Promise<void> {
  const { connections, services, publications, pauses } = tools;
  const { arrivedAt, signal, isDrive } = run;
  const repeated = isDrive ? 'drive' : arrivedAt === undefined ? 'other' : 'motion';
  const msg = fill(message, run.scope);
  const publication = publications.begin(name);
  let sent = 0;
  try {
    for (; sent < times; sent += 1) {
      if (sent > 0) await pauses.wait(every_ms, repeated);
      connections.sendCommand({ op: 'publish', id: publication.id, topic: name, msg }, arrivedAt);
    }
    await services.roundTrip('ordinary', signal);
    if (publication.error !== undefined) throw refusal(`The robot refuses: ${publication.error}`);
  } catch (error) {
    throw sent > 0 && error instanceof ServiceError && error.code === 'stopped' ? stoppedHalfway(sent, times) : error;
  } finally {
    publications.end(publication);
  }
}

function stoppedHalfway(sent: number, times: number): ServiceError {
  return new ServiceError('stopped', {
    detail: `A stop was requested when ${sent} of ${times} messages of this command had been sent.`,
    members: { command_ran: 'maybe' },
  });
}

/** Nobody carries the action out, so no goal is sent. @throws ServiceError `robot_error` where its end is the answer. */
function notServed({ name, answers }: ActionGoal): Declined {
  const why = `No action server answers for ${name}, so the goal was not sent.`;
  if (answers === 'started') return new Declined({ called: false, msg: why }, why);
  throw new ServiceError('robot_error', { detail: why, members: { command_ran: 'no' } });
}

async function sendGoal(tools: Tools, action: ActionGoal, run: Run): Promise<JsonValue | Declined> {
  const { goals, form } = tools;
  const args = fill(action.goal, run.scope);
  const { sender, command, isDrive, arrivedAt } = run;
  const order = { action: action.name, command, isDrive, isMotion: arrivedAt !== undefined };
  const goal = goals.add(sender, order);
  try {
    form.send(goal, action.type, args, arrivedAt);
  } catch (error) {
    goals.forget(goal);
    throw error;
  }
  const { id } = goal;
  if (action.answers === 'started') {
    await form.goalsTaken(run.signal);
    const { ending } = goal;
    if (ending?.isRefused) return new Declined({ called: false, msg: ending.message }, ending.message);
    return run.answer({ id, answer: null }, { called: true, msg: id });
  }
  await goal.over.wait(run.signal);
  const ending = goal.ending;
  goals.forget(goal);
  if (ending?.how !== 'succeeded') throw refusal(`The action ${action.name} did not succeed: ${ending?.message}`);
  return run.answer({ id, answer: ending.result }, ending.result);
}

/** Fills in a template; what does not fit is the caller's fault in the value, and the robot's in its answer. */
function fill(template: Template, scope: Scope): JsonValue {
  try {
    return template.fill(scope);
  } catch (error) {
    if (!(error instanceof UnfitValue)) throw error;
    const { root, path, message } = error;
    if (root !== 'value')
      throw refusal(`The robot's answer does not fit the mapping at "${path.join('.')}": ${message}`);
    const pointer = jsonPointer(['value', ...path]);
    throw new ServiceError('validation_failed', { detail: `${pointer}: ${message}.`, errors: [{ pointer, message }] });
  }
}
