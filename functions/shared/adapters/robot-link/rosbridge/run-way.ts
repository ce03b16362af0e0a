import { ServiceError } from '../../../errors.ts';
import type { JsonObject, JsonValue } from '../../../json.ts';
import { type RobotAnswer, type RobotCommand, type SendOptions, Unanswered } from '../port.ts';
import type { ActionForm } from './action-form.ts';
import type { Connections } from './connections.ts';
import type { Goals } from './goals.ts';
import type { ActionGoal, MappedCommand, MappedPublication, ServiceCall } from './mapping.ts';
import { runMissionCommand } from './missions.ts';
import type { Pauses } from './pauses.ts';
import { fromHere } from './pose.ts';
import type { Publications } from './publications.ts';
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
  readonly form: ActionForm;
  readonly pauses: Pauses;
  readonly clock: () => number;
}

/** A command under way: what its templates refer to, when it arrived, who waits. */
interface Run {
  readonly scope: Scope;
  readonly arrivedAt: number | undefined;
  readonly clientId: string;
  readonly signal: AbortSignal;
  readonly answer: (more: Scope, plain: JsonValue) => JsonValue;
}

/**
 * Carries out one command as the mapping says and makes the answer.
 * @throws ServiceError `validation_failed` for a value the templates cannot use, `stopped`, `robot_error`,
 * `robot_unavailable`, `robot_timeout`; or the reason of the signal.
 */
export async function runWay(
  tools: Tools,
  { way, relativeTo, result }: MappedCommand,
  { value, sender, arrivedAt }: RobotCommand,
  { signal, deadline }: SendOptions,
): Promise<RobotAnswer> {
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
  const run: Run = { scope, arrivedAt, clientId: sender.clientId, signal, answer };
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
      const id = typeof value === 'string' ? value : '';
      const report = await runMissionCommand(way.mission, { goals, form, id, clientId: sender.clientId, signal });
      return answer({ answer: report }, report);
    }
  }
}

async function callService({ services }: Tools, call: ServiceCall, run: Run): Promise<JsonValue> {
  const request = { service: call.name, type: call.type, args: fill(call.args, run.scope) };
  const answer = await services.call(request, run.arrivedAt, run.signal);
  const values = services.valuesOf(call.name, answer);
  requireSuccess(call, { ...run.scope, answer: values });
  return run.answer({ answer: values }, values);
}

/** @throws ServiceError `robot_error` unless the service answered that it succeeded, where the mapping asks for that. */
export function requireSuccess({ name, success, message }: ServiceCall, scope: Scope): void {
  if (!success || fill(success, scope) === true) return;
  const reason = message ? fill(message, scope) : undefined;
  const words = typeof reason === 'string' && reason !== '' ? reason : 'the robot does not say why';
  throw refusal(`The service ${name} did not succeed: ${words}`);
}

/** Publishes as often as the mapping says. What the server says against it comes before the end of a round trip. */
async function publish(tools: Tools, { name, message, times, every_ms }: MappedPublication, run: Run): Promise<void> {
  const { connections, services, publications, pauses } = tools;
  const { arrivedAt, signal } = run;
  const msg = fill(message, run.scope);
  const publication = publications.begin(name);
  let sent = 0;
  try {
    for (; sent < times; sent += 1) {
      if (sent > 0) await pauses.wait(every_ms, arrivedAt !== undefined);
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
    detail: `The robot was stopped when ${sent} of ${times} messages of this command had been sent.`,
    members: { command_ran: 'maybe' },
  });
}

async function sendGoal(tools: Tools, action: ActionGoal, run: Run): Promise<JsonValue> {
  const { connections, goals, form } = tools;
  const args = fill(action.goal, run.scope);
  const goal = goals.add(run.clientId, action.name);
  try {
    form.send(goal, action.type, args, run.arrivedAt);
  } catch (error) {
    goals.forget(goal);
    throw error;
  }
  const { id } = goal;
  if (action.answers === 'started') {
    await connections.ordinary.arrived(run.signal);
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
    const pointer = `/value${path.map((step) => `/${step}`).join('')}`;
    throw new ServiceError('validation_failed', { detail: `${pointer}: ${message}.`, errors: [{ pointer, message }] });
  }
}

export function tooLate(): ServiceError {
  return new ServiceError('robot_timeout', { detail: 'The time for this command was over before it could begin.' });
}
