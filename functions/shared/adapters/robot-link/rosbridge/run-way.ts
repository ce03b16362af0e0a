import { ServiceError } from '../../../errors.ts';
import type { JsonObject, JsonValue } from '../../../json.ts';
import type { RobotCommand, SendOptions } from '../port.ts';
import type { ActionForm } from './action-form.ts';
import type { Goals } from './goals.ts';
import type { Lanes } from './lanes.ts';
import type { ActionGoal, MappedCommand, Publication, ServiceCall } from './mapping.ts';
import { runMissionCommand } from './missions.ts';
import { fromHere } from './pose.ts';
import type { Repeats } from './repeats.ts';
import { refusal, type Services } from './services.ts';
import { type Scope, type Template, UnfitValue } from './template.ts';
import type { Topics } from './topics.ts';

/** What a command is carried out with. */
export interface Tools {
  readonly lanes: () => Lanes;
  readonly services: Services;
  readonly topics: Topics;
  readonly goals: Goals;
  readonly form: ActionForm;
  readonly repeats: Repeats;
  readonly clock: () => number;
}

/**
 * Carries out one command as the mapping says and makes the answer.
 * @throws ServiceError `validation_failed` for a value the templates cannot use, `robot_error`, `robot_unavailable`,
 * `robot_timeout`; or the reason of the signal.
 */
export async function runWay(
  tools: Tools,
  { way, relativeTo, result }: MappedCommand,
  { value, sender }: RobotCommand,
  { signal, deadline }: SendOptions,
): Promise<JsonValue> {
  let scope: Scope = { value };
  const answer = (more: Scope, plain: JsonValue) => (result ? fill(result, { ...scope, ...more }) : plain);
  if (relativeTo) {
    const message = await tools.topics.latest(relativeTo.name, relativeTo.max_age_ms, signal);
    const { target, frame } = fromHere(value as JsonObject, message, relativeTo.pose); // as: the kind is coordinates
    scope = { value: target, frame };
  }
  if (way.way === 'service' || way.way === 'publish' || way.way === 'action') {
    // Those who waited together look again: the first may have sent a goal.
    while (!tools.form.listening) await tools.form.whenListening(signal);
    signal.throwIfAborted();
    if (tools.clock() >= deadline) throw tooLate();
  }
  switch (way.way) {
    case 'service': {
      const values = await callService(tools, way.service, scope, signal);
      return answer({ answer: values }, values);
    }
    case 'publish':
      await publish(tools, way.publish, scope, signal);
      return answer({ answer: null }, { published: true });
    case 'action':
      return sendGoal(tools, way.action, scope, { clientId: sender.clientId, signal, answer });
    case 'topic': {
      const message = await tools.topics.latest(way.topic.name, way.topic.max_age_ms, signal);
      return answer({ answer: message }, message);
    }
    case 'mission': {
      const { goals, form } = tools;
      const id = typeof value === 'string' ? value : '';
      const report = await runMissionCommand(way.mission, { goals, form, id, clientId: sender.clientId, signal });
      return answer({ answer: report }, report);
    }
  }
}

async function callService(tools: Tools, call: ServiceCall, scope: Scope, signal: AbortSignal): Promise<JsonValue> {
  const { services } = tools;
  const answer = await services.call(call.name, call.type, fill(call.args, scope), signal);
  const values = services.valuesOf(call.name, answer);
  requireSuccess(call, { ...scope, answer: values });
  return values;
}

/** @throws ServiceError `robot_error` when the service answered that it did not succeed. */
export function requireSuccess({ name, success, message }: ServiceCall, scope: Scope): void {
  if (!success || fill(success, scope) !== false) return;
  const reason = message ? fill(message, scope) : undefined;
  const words = typeof reason === 'string' && reason !== '' ? reason : 'the robot does not say why';
  throw refusal(`The service ${name} did not succeed: ${words}`);
}

async function publish(tools: Tools, publication: Publication, scope: Scope, signal: AbortSignal): Promise<void> {
  const { name, message, times, every_ms } = publication;
  const frame = { op: 'publish', topic: name, msg: fill(message, scope) };
  await tools.repeats.run(times, every_ms, () => tools.lanes().ordinary.send(frame));
  await tools.lanes().ordinary.arrived(signal);
}

interface GoalAsking {
  readonly clientId: string;
  readonly signal: AbortSignal;
  readonly answer: (more: Scope, plain: JsonValue) => JsonValue;
}

async function sendGoal(tools: Tools, action: ActionGoal, scope: Scope, asking: GoalAsking): Promise<JsonValue> {
  const { goals, form } = tools;
  const args = fill(action.goal, scope);
  const goal = goals.add(asking.clientId, action.name);
  try {
    form.send(goal, action.type, args);
  } catch (error) {
    goals.forget(goal);
    throw error;
  }
  const { id } = goal;
  if (action.answers === 'started') {
    await tools.lanes().ordinary.arrived(asking.signal);
    return asking.answer({ id, answer: null }, { called: true, msg: id });
  }
  await goal.over.wait(asking.signal);
  const ending = goal.ending;
  goals.forget(goal);
  if (ending?.how !== 'succeeded') throw refusal(`The action ${action.name} did not succeed: ${ending?.message}`);
  return asking.answer({ id, answer: ending.result }, ending.result);
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
    const pointer = `/value${path.map((step) => `/${step}`).join('')}`;
    throw new ServiceError('validation_failed', { detail: `${pointer}: ${message}.`, errors: [{ pointer, message }] });
  }
}

export function tooLate(): ServiceError {
  return new ServiceError('robot_timeout', { detail: 'The time for this command was over before it could begin.' });
}
