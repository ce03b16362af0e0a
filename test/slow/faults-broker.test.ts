import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import type { HttpAnswer } from '../support/http.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { joinBroker, type RelayedRobot } from '../support/relay.ts';
import { startTestService, type TestService } from '../support/service.ts';

const seen = ({ status, json }: HttpAnswer): string => [status, json.code, json.command_ran].filter(Boolean).join(' ');
const outcomes = (answers: readonly HttpAnswer[]): string[] => [...new Set(answers.map(seen))];

describeWith('mosquitto', MOSQUITTO, 'A broker between service and robot', () => {
  let broker: TestBroker;
  let robot: RelayedRobot;
  let service: TestService;
  beforeAll(async () => {
    broker = await startMosquitto();
    robot = joinBroker(broker.url('robot-1'));
    const settings = { SERVICE_ROBOT_URL: broker.url('service', '/robot-1'), SERVICE_COMMAND_TIMEOUT_MS: '2000' };
    service = await startTestService({ settings });
    await until('the robot is there', async () => (await status()) === 'connected');
  });
  afterAll(async () => {
    await service.stop();
    await robot.relay.close();
    await robot.robot.close();
    await broker.kill();
  });

  const status = async (): Promise<string> => (await service.as(undefined, '/status')).json.robot;
  const send = (kind: string, command: string, value: unknown) =>
    service.as('USER', `/api/v2/${kind}/`, { method: 'POST', body: { command, value } });
  const stop = () => service.as('USER', '/api/v2/stop', { method: 'POST' });

  /** The answers to commands that were begun one after the other, without waiting for each other, while there was trouble. */
  async function commandsDuring(trouble: () => Promise<void>): Promise<HttpAnswer[]> {
    const asked: Array<Promise<HttpAnswer>> = [];
    const troubled = { over: false };
    const working = trouble().finally(() => {
      troubled.over = true;
    });
    while (!troubled.over) {
      asked.push(send('int', 'sound_level', asked.length % 100));
      await pause(5);
    }
    await working;
    return Promise.all(asked);
  }

  it('ends every wait when it is killed, with each command and stop saying whether it ran, and recovers', async () => {
    const mission = (await send('dict', 'skill', { name: 'wait', seconds: 600 })).json.result.msg;
    const waits = [1, 2, 3].map(() => send('str', 'wait_for_skill', mission));
    await until('they wait', () => service.inFlight.size === waits.length);
    const answers = await commandsDuring(async () => {
      await pause(100);
      await broker.kill();
      await until('the cut is noticed', async () => (await status()) === 'disconnected');
    });
    expect(outcomes(await Promise.all(waits))).toEqual(['503 robot_unavailable maybe']);
    const clear = ['200', '503 robot_unavailable no', '503 robot_unavailable maybe'];
    expect(outcomes(answers).filter((outcome) => !clear.includes(outcome))).toEqual([]);

    expect(seen(await send('int', 'sound_level', 40))).toBe('503 robot_unavailable no');
    const refused = await stop();
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } });
    expect(refused.json).toMatchObject({ code: 'robot_unavailable', detail: expect.stringContaining('MQTT broker') });
    expect(service.inFlight.size).toBe(0);

    await broker.start();
    await until('the robot is back', async () => (await status()) === 'connected');
    expect((await send('int', 'sound_level', 41)).json.result).toEqual({ sound_level: 41 });
    // A robot whose link was gone for long has ended what moved it.
    const next = (await send('dict', 'skill', { name: 'wait', seconds: 600 })).json.result.msg;
    const again = send('str', 'wait_for_skill', next);
    await until('it is waited for', () => service.inFlight.size === 1);
    expect((await stop()).json).toMatchObject({ stopped: true });
    expect([200, 409]).toContain((await again).status); // the robot may have told of the end first
  });

  it('lets commands and stop time out when it freezes, each saying that it may have run', async () => {
    const { sound_level: before } = (await send('int', 'sound_level', 42)).json.result;
    broker.freeze();
    const [refused, ...answers] = await Promise.all([
      stop(),
      ...[1, 2, 3].map((value) => send('int', 'sound_level', value)),
    ]);
    broker.goOn();
    expect([before, ...outcomes(answers)]).toEqual([42, '504 robot_timeout maybe']);
    expect(refused).toMatchObject({ status: 504, json: { code: 'robot_timeout' } });
    await until('commands run again', async () => (await send('int', 'sound_level', 43)).status === 200);
  });
});
