import { describe, expect, it } from '@jest/globals';
import type { Broker } from '../../../../functions/shared/adapters/mqtt/broker.ts';
import type { Message } from '../../../../functions/shared/adapters/mqtt/message.ts';
import { openMqttLink } from '../../../../functions/shared/adapters/robot-link/mqtt/open.ts';
import { RemoteRobot } from '../../../../functions/shared/adapters/robot-link/mqtt/remote-robot.ts';
import { ConfigError } from '../../../../functions/shared/config.ts';
import { Fence } from '../../../../functions/shared/control/fence.ts';
import { refusal } from '../../../support/errors.ts';
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
  return { robot, published, state, send, repeat: () => robot.hearPresence(online) };
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

  it('has one id: a URL that names another is refused before anything is joined', async () => {
    const settings = { SERVICE_ROBOT_URL: 'mqtt://broker/robot-2', SERVICE_ROBOT_ID: 'robot-1' };
    const opening = openMqttLink(testConfig(settings), { logger: silentLogger, clock: Date.now });
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow('names another robot');
  });
});
