import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { announced } from '../../../functions/shared/robot-link/adapters/announced.ts';
import { openSimulatedRobot } from '../../../functions/shared/robot-link/adapters/simulated/simulated-robot.ts';
import { type EventClient, type Message, openEvents } from '../../support/event-client.ts';
import { until } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { form, part } from '../../support/skill-service.ts';

const UNIT = 'logs/head/robot-vision.service';
const TOPICS = [
  'safety',
  'state',
  'joints',
  'missions',
  'skills',
  'alerts',
  'network',
  'services',
  'database',
  'commands',
  UNIT,
  'audit',
];

let service: TestService;
let client: EventClient;
beforeAll(async () => {
  service = await startTestService({ settings: { SERVICE_ALLOWED_UNITS: 'head=robot-*.service' } });
  client = openEvents(service.url, { token: await service.token('ENCHANTER') });
  await once(client.socket, 'open');
  client.send({ type: 'subscribe', topics: TOPICS });
  await until('it has every snapshot', () => snapshots().length === TOPICS.length);
});
afterAll(async () => {
  client.socket.terminate();
  await service.stop();
});

const snapshots = () => client.messages.filter(({ type }) => type === 'snapshot');
const snapshotOf = (topic: string) => snapshots().find((message) => message.topic === topic).data;
const command = (name: string, value: unknown) =>
  service.as('USER', `/api/v2/commands/${name}/`, { method: 'POST', body: { value } });

async function told(type: string, fits: (event: Message) => boolean = () => true): Promise<Message> {
  const found = () => client.events().find((event) => event.type === type && fits(event));
  await until(`${type} is told`, () => found() !== undefined);
  return found();
}

describe('The simulated robot', () => {
  it('tells its state and joints while it drives, and when it stands', async () => {
    expect(snapshotOf('state')).toMatchObject({ moving: false, mode: 'sim', link: 'connected', simulated: true });
    expect(snapshotOf('joints').names).toContain('head_tilt');
    await command('go_to_relative', { x: 0.2, theta: 10 });
    const { data } = await told('robot.state.changed', (event) => event.data.moving);
    expect(data.velocity.linear).toBeGreaterThan(0);
    await told('robot.joints.changed', (event) => event.data.positions[0] > 0.5);
    const { data: end } = await told('robot.state.changed', (event) => event.data.pose.x === 0.2 && !event.data.moving);
    expect(end).toMatchObject({ velocity: { linear: 0, angular: 0 }, volume: { level: expect.any(Number) } });
  });

  it('moves its head while it nods and waves', async () => {
    for (const [skill, joint] of [
      ['nod', 3],
      ['wave', 2],
    ] as const) {
      await command('skill', { name: skill });
      await told('robot.joints.changed', (event) => Math.abs(event.data.positions[joint]) > 0.1);
    }
  });

  it('tells missions from their start to their end', async () => {
    const { json } = await command('skill', { name: 'wait', seconds: 0.05 });
    const subject = json.result.msg;
    const started = await told('robot.missions.started', (event) => event.subject === subject);
    expect(started.data).toEqual({ id: subject, skills: ['wait'], client: expect.stringMatching(/^[0-9a-f]{8}$/) });
    await told('robot.missions.finished', (event) => event.subject === subject);
  });

  it('tells who asked for a stop, that the robot confirmed it, and what it cancelled', async () => {
    const { json } = await command('skill', { name: 'dance' });
    await told('robot.missions.started', (event) => event.subject === json.result.msg);
    await service.as('USER', '/api/v2/stop', { method: 'POST' });
    const requested = await told('robot.safety.stop_requested');
    expect(requested.data).toEqual({ by: { client: expect.any(String), key_id: 'test-USER' } });
    const confirmed = await told('robot.safety.stop_confirmed');
    expect(confirmed.data.cancelled_missions).toBeGreaterThan(0);
    await told('robot.missions.cancelled', (event) => event.subject === json.result.msg);
  });

  it('whose link is down has told that a stop was not confirmed', () => {
    const published: unknown[] = [];
    const robot = openSimulatedRobot(Date.now);
    robot.setConnected(false);
    const events = { publish: (...args: unknown[]) => void published.push(args.slice(0, 3)) };
    const options = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    expect(() => announced(robot, events).stop(options)).toThrow('link');
    expect(published).toEqual([
      ['safety', 'stop_requested', { by: null }],
      ['safety', 'stop_not_confirmed', { by: null, code: 'robot_unavailable' }],
    ]);
  });
});

describe('The service', () => {
  it('tells commands and the audit trail', async () => {
    await command('sound_level', 33);
    const answered = await told('robot.commands.answered', ({ data }) => data.command === 'sound_level');
    expect(answered.data).toMatchObject({ value: 33, outcome: 'ok', key_id: 'test-USER' });
    await told('robot.audit.appended', ({ data }) => data.subject.command === 'sound_level');
  });

  it('tells rows that changed, and none that did not', async () => {
    const item = { id: 7, name: 'bell', favorite: false, type: 'sound' };
    const body = { tablename: 'animations_table', item };
    await service.as('USER', '/api/v2/database/delete_item/', { method: 'DELETE', body });
    const { status } = await service.as('USER', '/api/v2/database/add_item/', { method: 'POST', body });
    expect(status).toBe(200);
    const changed = await told('robot.database.changed');
    expect(changed).toMatchObject({
      subject: 'animations_table',
      data: { table: 'animations_table', operation: 'add', id: 7 },
    });
  });

  it('tells skill files', async () => {
    await service.as('ADMIN', '/api/v2/skill/upload/', { method: 'POST', ...form(part('greet.py', 'x = 1\n')) });
    expect((await told('robot.skills.uploaded')).data).toEqual({ skill: 'greet', enabled: true });
    await service.as('ADMIN', '/api/v2/skill/enable/', { method: 'PATCH', body: { command: 'greet', value: false } });
    expect((await told('robot.skills.disabled')).data).toEqual({ skill: 'greet' });
  });

  it('tells Wi-Fi networks that could not be configured', async () => {
    const body = { ssid: 'nowhere', password: 'secret-secret' };
    await service.as('ADMIN', '/api/v2/network/configure/', { method: 'POST', body });
    const { data } = await told('robot.network.configure_failed');
    expect(data).toEqual({ ssid: 'nowhere', outcome: 'wifi_ssid_not_found' });
    expect(JSON.stringify(client.messages)).not.toContain('secret-secret');
  });

  it('lists the units, and follows the log of one', async () => {
    const { data } = await told('robot.services.listed');
    expect(data.units).toContainEqual({
      system: 'head',
      name: 'robot-vision.service',
      active_state: 'active',
      sub_state: 'running',
    });
    const written = await told('robot.logs.written');
    expect(written).toMatchObject({ subject: 'head/robot-vision.service', data: { priority: 6 } });
  });

  it('tells everything in the form that /asyncapi.json describes', async () => {
    const { json: document } = await service.as(undefined, '/asyncapi.json');
    const ajv = new Ajv({ strict: false });
    formats.default(ajv);
    const types = [...new Set(client.events().map(({ type }) => type))];
    expect(types.length).toBeGreaterThan(12);
    for (const type of types) {
      const { components } = document;
      const validate = ajv.compile({ ...components.messages[type].payload, components });
      for (const event of client.events().filter((each) => each.type === type)) validate(event);
      expect([type, validate.errors ?? []]).toEqual([type, []]);
    }
  });

  it('refuses units that are not allowed', async () => {
    client.send({ type: 'subscribe', topics: ['logs/head/sshd.service'] });
    expect(await client.next('it is refused', ({ type }) => type === 'error')).toMatchObject({
      code: 'unit_not_allowed',
    });
  });
});
