import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { give } from '../../../functions/shared/port.ts';
import { simulatedHome, starterHome } from '../../../functions/shared/robot-link/simulated-home.ts';
import { dialectClient } from '../../support/dialect-client.ts';
import { until } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ given: [give(simulatedHome, starterHome())] });
});
afterAll(() => service.stop());

async function subscribed(topic: string, level: 'USER' | 'ADMIN' = 'USER') {
  const client = dialectClient(service.eventsUrl, await service.token(level));
  await client.opened();
  client.act({ action: 'subscribe', topic });
  return client;
}

const send = (command: string, value: unknown) =>
  service.as('USER', `/api/v2/commands/${command}/`, { method: 'POST', body: { value } });

describe('On the events port the simulated robot tells', () => {
  it.each<[string, string, unknown]>([
    ['current_focus', 'str', expect.stringMatching(/^(human|none)$/)],
    ['head_mode', 'str', 'idle'],
    ['navigation_state', 'str', 'idle'],
    ['left_hand_state', 'str', 'open'],
    ['right_hand_state', 'str', 'open'],
    ['max_velocity', 'float', 50],
    ['arms_collision', 'bool', false],
    ['battery_voltage', 'float', expect.any(Number)],
    ['runes', 'list', expect.arrayContaining([expect.objectContaining({ id: 'rune-1', rssi: expect.any(Number) })])],
    ['rules', 'list', []],
  ])('%s, in frames of type %s', async (topic, type, data) => {
    const client = await subscribed(topic);
    await until('it is told', () => client.frames.length > 0);
    const frame = JSON.parse(client.frames[0] as string); // as: there is one
    expect(frame).toEqual({ name: topic, type, data });
    expect(Object.keys(frame)).toEqual(['name', 'type', 'data']);
    client.socket.terminate();
  });

  it('a float with its point, and a change as soon as it happens', async () => {
    const client = await subscribed('max_velocity');
    await until('it is told', () => client.frames.length > 0);
    expect(client.frames[0]).toBe('{"name":"max_velocity","type":"float","data":50.0}');
    await send('set_robot_max_velocity', 37.5);
    await until('the change is told', () => client.frames.at(-1)?.endsWith('"data":37.5}') ?? false);
    await send('set_robot_max_velocity', 50);
    client.socket.terminate();
  });

  it('that it drives, and what its head does', async () => {
    const [navigation, head] = [await subscribed('navigation_state'), await subscribed('head_mode')];
    await send('skill', { name: 'nod' });
    await service.as('USER', '/api/v2/commands/go_to_relative/', { method: 'POST', body: { value: { x: 0.3 } } });
    await until('both are told', () =>
      [navigation.frames, head.frames].every((frames) => frames.some((text) => /"data":"(moving|nod)"/.test(text))),
    );
    await until('it has arrived', () => navigation.frames.at(-1)?.includes('idle') ?? false);
    for (const { socket } of [navigation, head]) socket.terminate();
  });

  it('the runes again and again, and nothing after the subscription has ended', async () => {
    const client = await subscribed('runes');
    await until('they are told several times', () => client.frames.length >= 5);
    client.act({ action: 'unsubscribe', topic: 'runes' });
    await client.settle();
    const { length } = client.frames;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(client.frames).toHaveLength(length);
    client.socket.terminate();
  });
});

describe('A subscription on the events port', () => {
  it.each<[string, unknown]>([
    ['state', expect.objectContaining({ simulated: true, moving: false })],
    ['missions', { missions: [] }],
    ['alerts', { alerts: [] }],
  ])('to %s begins with what is the case', async (topic, data) => {
    const client = await subscribed(topic);
    await until('it is told', () => client.frames.length > 0);
    expect(JSON.parse(client.frames[0] as string)).toEqual({
      name: topic,
      type: 'dict',
      data: {
        specversion: '1.0',
        id: expect.stringMatching(new RegExp(`^[0-9a-f]{12}-\\d+/${topic}$`)),
        source: '/robots/robot-1',
        type: `robot.${topic}.snapshot`,
        time: expect.stringMatching(/Z$/),
        data,
      },
    });
    client.socket.terminate();
  });

  it('to a topic that has nothing to show begins with nothing', async () => {
    const client = await subscribed('skills');
    await client.settle();
    expect(client.frames).toEqual([]);
    client.socket.terminate();
  });
});
