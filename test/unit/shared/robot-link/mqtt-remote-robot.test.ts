import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../../../functions/shared/config.ts';
import type { Message } from '../../../../functions/shared/robot-link/adapters/broker/message.ts';
import { openMqttLink } from '../../../../functions/shared/robot-link/adapters/mqtt/open.ts';
import { refusal } from '../../../support/errors.ts';
import { countingMetrics } from '../../../support/metrics.ts';
import { until } from '../../../support/processes.ts';
import { countedRefusals } from '../../../support/refusals.ts';
import { remoteRobot } from '../../../support/remote-robot.ts';
import { silentLogger, testConfig } from '../../../support/world.ts';

const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
const options = (signal = new AbortController().signal) => ({ deadline: Number.POSITIVE_INFINITY, signal });

/** A robot that is online and answers nothing, behind a broker that writes down what is published. */
function silentRobot() {
  const published: string[] = [];
  const ids: string[] = [];
  const counted = countingMetrics();
  const state = { backlog: 0 };
  const broker = {
    up: true,
    problem: undefined,
    get backlog() {
      return state.backlog;
    },
    publish: (topic: string, text: string) => {
      published.push(topic);
      ids.push(JSON.parse(text).id);
    },
  };
  const { refusals, counts } = countedRefusals();
  const robot = remoteRobot(broker, { refusals, metrics: counted.metrics });
  const presence = (text: object): Message => ({
    topic: 'robots/robot-1/presence',
    payload: Buffer.from(JSON.stringify(text)),
    correlation: undefined,
    responseTopic: undefined,
    expirySeconds: undefined,
  });
  const online = presence({ v: 1, online: true, session: 's', catalogue: [] });
  robot.handlePresence(online);
  const send = (signal?: AbortSignal, more: object = {}) =>
    robot.send({ command: 'get_language', sender: SENDER }, { ...options(signal), ...more });
  const answer = (index: number, said: object = { ok: true, result: 'en' }) => {
    const id = ids[index] ?? '';
    const text = Buffer.from(JSON.stringify({ v: 1, id, ...said }));
    robot.handleAnswer({ ...online, topic: '', payload: text, correlation: Buffer.from(id) });
  };
  const hear = (text: object) => robot.handlePresence(presence(text));
  return { robot, counts, published, state, send, answer, counted, hear, repeat: () => robot.handlePresence(online) };
}

describe('A robot behind a broker', () => {
  it.each(['unknown_command', 'validation_failed', 'busy', 'not_ready', 'stopped', 'lease_held'])(
    'that answers a stop with %s has not confirmed it',
    async (code) => {
      const { robot, answer } = silentRobot();
      const stopping = refusal(() => robot.stop(options()));
      answer(0, { ok: false, error: { code, detail: 'Why.', ran: 'no' } });
      expect(await stopping).toMatchObject({ code: 'robot_error', members: { command_ran: 'maybe' } });
    },
  );

  it('is sent at most 250 unread commands, and every stop', async () => {
    const { robot, published, send, counted } = silentRobot();
    const given = new AbortController();
    const waiting = Array.from({ length: 250 }, () => send(given.signal).catch((error: unknown) => error));
    given.abort(new Error('hung up'));
    await Promise.all(waiting);
    expect(await refusal(() => send())).toMatchObject({ code: 'robot_unavailable', members: { command_ran: 'no' } });
    expect(counted.calls('budgetExceeded')).toEqual([['robot_calls']]);
    expect(published).toHaveLength(250);
    const stopping = robot.stop(options()).catch((error: unknown) => error);
    expect(published.at(-1)).toBe('robots/robot-1/stop');
    robot.forget();
    await stopping;
  });

  it('has read everything before the command it answers; expired commands do not count', async () => {
    const { robot, published, send, answer } = silentRobot();
    const waiting = Array.from({ length: 250 }, () => send().catch((error: unknown) => error));
    answer(99);
    for (let more = 0; more < 100; more += 1) waiting.push(send().catch((error: unknown) => error));
    await refusal(() => send());
    expect(published).toHaveLength(350);
    const late = silentRobot();
    for (let count = 0; count < 250; count += 1) {
      waiting.push(late.send(undefined, { deadline: Date.now() + 5 }).catch((error: unknown) => error));
    }
    await until('they have expired', () => {
      waiting.push(late.send().catch((error: unknown) => error));
      return late.published.length > 250;
    });
    for (const each of [robot, late.robot]) each.close();
    await Promise.all(waiting);
  });

  it('answers queries while the maximum of commands is waiting', async () => {
    const { robot, send, answer } = silentRobot();
    const wait = () => send(undefined, { beginBy: Date.now() + 60_000 });
    const waiting = Array.from({ length: 200 }, () => wait().catch((error: unknown) => error));
    await refusal(wait);
    const asked = send();
    answer(200);
    expect(await asked).toBe('en');
    waiting.push(wait().catch((error: unknown) => error));
    robot.close();
    await Promise.all(waiting);
  });

  it.each([
    [
      'robot_unavailable',
      'from_the_future',
      'The clock of the robot is 3.0 s behind that of the service; set both clocks by NTP.',
    ],
    [
      'robot_timeout',
      'late',
      'The command reached the robot 12 s after it was sent. If that is not so, set both clocks by NTP.',
    ],
  ])('is counted when it refuses with %s because of its clock', async (code, reason, detail) => {
    const { send, answer, counted } = silentRobot();
    const asked = send();
    answer(0, { ok: false, error: { code, detail, ran: 'no' } });
    expect(await refusal(() => asked)).toMatchObject({ code });
    const other = send();
    answer(1, { ok: false, error: { code, detail: 'Its program ends.', ran: 'no' } });
    await refusal(() => other);
    expect(counted.calls('clockRefusal')).toEqual([[reason]]);
  });

  it('is counted when its presence is unreadable in whole or in part', async () => {
    const { hear, send, counted } = silentRobot();
    hear({ v: 1, online: true, session: 's', catalogue: [{ name: 'a', kind: 'pose' }] });
    expect(counted.calls('presenceFaults')).toEqual([['entry', expect.any(Number)]]);
    hear({ v: 1, online: 'yes' });
    expect(counted.calls('presenceFaults').at(-1)).toEqual(['message', 1]);
    expect((await refusal(() => send())).message).toContain('docs/mqtt.schema.json');
  });

  it('is counted once when two programs use its id', () => {
    const { hear, counted } = silentRobot();
    for (const session of ['t', 'u', 'v', 'w']) hear({ v: 1, online: true, session, catalogue: [] });
    expect(counted.calls('robotIdConflict')).toEqual([['service']]);
  });

  it('is sent no command while too much is still buffered', async () => {
    const { state, published, send } = silentRobot();
    state.backlog = 256 * 1024 + 1;
    expect(await refusal(() => send())).toMatchObject({ code: 'robot_unavailable', members: { command_ran: 'no' } });
    expect(published).toEqual([]);
  });

  it('is not sent a command its client has abandoned', async () => {
    const { published, send } = silentRobot();
    await expect(send(AbortSignal.abort(new Error('hung up')))).rejects.toThrow('hung up');
    expect(published).toEqual([]);
  });

  it('loses no answer by repeating its presence', async () => {
    const { robot, send, repeat } = silentRobot();
    let settled = false;
    const waiting = send().catch(() => {
      settled = true;
    });
    repeat();
    await new Promise((resolve) => setImmediate(resolve));
    expect([settled, robot.connected()]).toEqual([false, true]);
    robot.close();
    await waiting;
    expect(settled).toBe(true);
  });

  it('has a rapidly changing presence read five times, and the last one counts', async () => {
    const { robot, hear, counts } = silentRobot();
    const catalogue = (count: number) => [{ name: `c${count}`, kind: 'none', title: 'C', effect: 'query' }];
    for (let count = 0; count < 100; count += 1) {
      hear({ v: 1, online: true, session: 's', catalogue: catalogue(count) });
    }
    expect([...robot.catalogue().keys()]).toEqual(['c3']); // the presence it began with was the first of five
    expect(counts).toEqual({ presence: 96 });
    await until('its last word is read', () => robot.catalogue().has('c99'));
  });

  it('is ignored with a presence above 64 KiB, and has at most 500 commands', async () => {
    const { robot, hear, counts } = silentRobot();
    const entry = (count: number) => ({ name: `c${count}`, kind: 'none', title: 'C', effect: 'query' });
    hear({ v: 1, online: true, session: 's', catalogue: Array.from({ length: 600 }, (_, count) => entry(count)) });
    expect(robot.catalogue().size).toBe(500);
    expect(robot.notes()).toContainEqual(expect.stringContaining('only 500 of 600 commands are taken'));
    hear({ v: 1, online: true, session: 's', catalogue: [], note: 'x'.repeat(64 * 1024) });
    expect(robot.connected()).toBe(false);
    expect(counts).toEqual({ presence: 1 });
  });

  it('has its texts cut to 300 characters', async () => {
    const { robot, hear, send } = silentRobot();
    hear({ v: 1, online: false, reason: 'x'.repeat(10_000) });
    const { message } = await refusal(() => send());
    expect(message).toContain('x'.repeat(300));
    expect(message).not.toContain('x'.repeat(301));
    robot.close();
  });

  it('is refused before joining when the URL names another id', async () => {
    const settings = { SERVICE_ROBOT_URL: 'mqtt://broker/robot-2', SERVICE_ROBOT_ID: 'robot-1' };
    const opening = openMqttLink(testConfig(settings), { logger: silentLogger, clock: Date.now });
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow('names another robot');
  });
});
