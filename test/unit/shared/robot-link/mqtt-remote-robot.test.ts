import { describe, expect, it } from '@jest/globals';
import type { Broker } from '../../../../functions/shared/adapters/mqtt/broker.ts';
import type { Message } from '../../../../functions/shared/adapters/mqtt/message.ts';
import { openMqttLink } from '../../../../functions/shared/adapters/robot-link/mqtt/open.ts';
import { RemoteRobot } from '../../../../functions/shared/adapters/robot-link/mqtt/remote-robot.ts';
import { ConfigError } from '../../../../functions/shared/config.ts';
import { Fence } from '../../../../functions/shared/control/fence.ts';
import { refusal } from '../../../support/errors.ts';
import { until } from '../../../support/processes.ts';
import { silentLogger, testConfig } from '../../../support/world.ts';

const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
const options = (signal = new AbortController().signal) => ({ deadline: Number.POSITIVE_INFINITY, signal });

/** A robot that is online and answers nothing, behind a broker that writes down what is published. */
function silentRobot() {
  const published: string[] = [];
  const state = { backlog: 0 };
  const broker = {
    up: true,
    problem: undefined,
    get backlog() {
      return state.backlog;
    },
    publish: (topic: string) => void published.push(topic),
  };
  const robot = new RemoteRobot({
    robotId: 'robot-1',
    broker: () => broker as unknown as Broker, // as: this much of a broker is used here
    answers: 'robots/robot-1/answers/me',
    clock: Date.now,
    logger: silentLogger,
    fence: new Fence(),
    onClose: () => undefined,
  });
  const presence = (text: object): Message => ({
    topic: 'robots/robot-1/presence',
    payload: Buffer.from(JSON.stringify(text)),
    correlation: undefined,
    responseTopic: undefined,
    expirySeconds: undefined,
  });
  const online = presence({ v: 1, online: true, session: 's', catalogue: [] });
  robot.hearPresence(online);
  const send = (signal?: AbortSignal) => robot.send({ command: 'get_language', sender: SENDER }, options(signal));
  const hear = (text: object) => robot.hearPresence(presence(text));
  return { robot, published, state, send, hear, repeat: () => robot.hearPresence(online) };
}

describe('A robot behind a broker', () => {
  it('is sent no more than 1000 commands that wait; stop is always sent', async () => {
    const { robot, published, send } = silentRobot();
    const waiting = Array.from({ length: 1_000 }, () => send().catch((error: unknown) => error));
    expect(await refusal(() => send())).toMatchObject({ code: 'robot_unavailable', members: { command_ran: 'no' } });
    expect(published).toHaveLength(1_000);
    const stopping = robot.stop(options()).catch((error: unknown) => error);
    expect(published.at(-1)).toBe('robots/robot-1/stop');
    robot.forget();
    await Promise.all([...waiting, stopping]);
  });

  it('is sent no command while very much has not left this process yet', async () => {
    const { state, published, send } = silentRobot();
    state.backlog = 256 * 1024 + 1;
    expect(await refusal(() => send())).toMatchObject({ code: 'robot_unavailable', members: { command_ran: 'no' } });
    expect(published).toEqual([]);
  });

  it('is not sent what its client has given up', async () => {
    const { published, send } = silentRobot();
    await expect(send(AbortSignal.abort(new Error('hung up')))).rejects.toThrow('hung up');
    expect(published).toEqual([]);
  });

  it('that only repeats that it lives loses nobody an answer', async () => {
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

  it('is read five times at once when its presence changes and changes, and its last word counts', async () => {
    const { robot, hear } = silentRobot();
    const catalogue = (count: number) => [{ name: `c${count}`, kind: 'none', title: 'C', effect: 'query' }];
    for (let count = 0; count < 100; count += 1) {
      hear({ v: 1, online: true, session: 's', catalogue: catalogue(count) });
    }
    expect([...robot.catalogue().keys()]).toEqual(['c3']); // the presence it began with was the first of five
    await until('its last word is read', () => robot.catalogue().has('c99'));
  });

  it('is not there with a presence of more than 64 KiB, and has 500 commands at most', async () => {
    const { robot, hear } = silentRobot();
    const entry = (count: number) => ({ name: `c${count}`, kind: 'none', title: 'C', effect: 'query' });
    hear({ v: 1, online: true, session: 's', catalogue: Array.from({ length: 600 }, (_, count) => entry(count)) });
    expect(robot.catalogue().size).toBe(500);
    expect(robot.notes()).toContainEqual(expect.stringContaining('only 500 of 600 commands are taken'));
    hear({ v: 1, online: true, session: 's', catalogue: [], note: 'x'.repeat(64 * 1024) });
    expect(robot.connected()).toBe(false);
  });

  it('has sentences of 300 characters', async () => {
    const { robot, hear, send } = silentRobot();
    hear({ v: 1, online: false, reason: 'x'.repeat(10_000) });
    const { message } = await refusal(() => send());
    expect(message).toContain('x'.repeat(300));
    expect(message).not.toContain('x'.repeat(301));
    robot.close();
  });

  it('has one id: a URL that names another is refused before anything is joined', async () => {
    const settings = { SERVICE_ROBOT_URL: 'mqtt://broker/robot-2', SERVICE_ROBOT_ID: 'robot-1' };
    const opening = openMqttLink(testConfig(settings), { logger: silentLogger, clock: Date.now });
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow('names another robot');
  });
});
