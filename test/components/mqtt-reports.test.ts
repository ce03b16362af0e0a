import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { events } from '../../functions/shared/events/ports.ts';
import { openMqttFleet, openMqttLink } from '../../functions/shared/robot-link/adapters/mqtt/open.ts';
import type { RobotLink } from '../../functions/shared/robot-link/port.ts';
import { describeWith } from '../support/components.ts';
import { subscribeEvents } from '../support/event-client.ts';
import { testHub } from '../support/event-hub.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { countedRefusals } from '../support/refusals.ts';
import { joinBroker } from '../support/relay.ts';
import { ONLINE, ReportingProgram } from '../support/reporting-program.ts';
import { scriptedLink } from '../support/robot.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { silentLogger, testConfig } from '../support/world.ts';

const TOPIC = 'robots/robot-1';

describeWith('mosquitto', MOSQUITTO, 'What a robot behind a broker says of itself', () => {
  let broker: TestBroker;
  let service: TestService | undefined;
  const programs: ReportingProgram[] = [];
  const links: RobotLink[] = [];
  const closing: Array<() => Promise<void>> = [];

  beforeAll(async () => {
    broker = await startMosquitto();
  });
  afterAll(() => broker.kill());
  afterEach(async () => {
    await service?.stop();
    service = undefined;
    for (const link of links.splice(0)) await link.close();
    for (const close of closing.splice(0)) await close();
    for (const program of programs.splice(0)) await program.leave();
  });

  async function program() {
    const joined = await ReportingProgram.join(broker);
    programs.push(joined);
    return joined;
  }

  async function openLink(): Promise<RobotLink> {
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    const link = await openMqttLink(config, { logger: silentLogger, clock: Date.now });
    links.push(link);
    await until('it is connected', () => link.connected());
    return link;
  }

  it('reaches the link: state, joints and the emergency stop', async () => {
    const { say, keepSaying } = await program();
    const link = await openLink();
    expect([link.state?.(), link.joints?.(), link.emergencyStop?.()?.state]).toEqual([undefined, undefined, 'unknown']);
    const silence = [
      keepSaying('state', { pose: { x: 1, y: 2, z: 0, theta: 90 }, estop: 'released' }),
      keepSaying('joints', { names: ['neck'], positions: [0.5] }),
    ];
    await until('both are there', () => link.state?.() !== undefined && link.joints?.() !== undefined);
    expect(link.state?.()).toEqual({ pose: { x: 1, y: 2, z: 0, theta: 90 } });
    expect(link.joints?.()).toEqual({ names: ['neck'], positions: [0.5] });
    expect(link.emergencyStop?.()).toMatchObject({ state: 'released', source: `${TOPIC}/state` });
    for (const hush of silence) hush();
    await say('presence', { online: false }, true);
    await until('it is gone', () => !link.connected());
    expect([link.state?.(), link.joints?.(), link.emergencyStop?.()?.state]).toEqual([undefined, undefined, 'unknown']);
  });

  it('is heard again after the broker was away', async () => {
    const { say } = await program();
    const link = await openLink();
    await broker.kill();
    await until('it is lost', () => !link.connected());
    await broker.start();
    await until('it is back', async () => {
      await say('presence', ONLINE, true);
      await say('state', { moving: true });
      return link.state?.() !== undefined;
    });
    expect(link.state?.()).toEqual({ moving: true });
  });

  it('is not read any more when it is a flood, and commands pass', async () => {
    const { say, keepSaying } = await program();
    const { refusals, lines } = countedRefusals();
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    const link = await openMqttLink(config, { logger: silentLogger, clock: Date.now, refusals });
    links.push(link);
    await until('it is connected', () => link.connected());
    for (let count = 0; count < 5_000; count += 1) void say('state', { moving: true, estop: 'released' });
    await until('it is too much', () => lines.some((line) => line.includes('reports too much')));
    const options = { deadline: Date.now() + 10_000, signal: AbortSignal.timeout(10_000) };
    expect(await link.stop(options)).toMatchObject({ stopped: true });
    const hush = keepSaying('state', { moving: true, estop: 'released' });
    await until('what it says is too old', () => link.state?.() === undefined);
    hush();
    expect(link.emergencyStop?.()?.state).toBe('unknown'); // which moves nothing
    expect(await link.stop(options)).toMatchObject({ stopped: true });
  });

  it('is not what the broker kept', async () => {
    const { say } = await program();
    await say('state', { moving: true }, true);
    const link = await openLink();
    await say('joints', { names: [], positions: [] });
    await until('the joints are there', () => link.joints?.() !== undefined);
    expect(link.state?.()).toBeUndefined();
  });

  it('is not listened to in the cloud', async () => {
    const { say } = await program();
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    const link = await openMqttLink({ ...config, inCloud: true }, { logger: silentLogger, clock: Date.now });
    links.push(link);
    await until('it is connected', () => link.connected());
    await say('state', { moving: true });
    const sender = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
    await link.send(
      { command: 'get_language', sender },
      { deadline: Date.now() + 9_000, signal: AbortSignal.timeout(9_000) },
    );
    expect(link.state?.()).toBeUndefined(); // its answer came after its state
  });

  it('reaches a fleet, with its missions where they are wanted', async () => {
    const { say, keepSaying } = await program();
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service') });
    const fleet = openMqttFleet(config, { logger: silentLogger, clock: Date.now });
    closing.push(async () => fleet.close());
    const { hub } = testHub();
    const types: string[] = [];
    hub.observe('missions', ({ type }) => types.push(type));
    const link = await fleet.robot('robot-1', hub);
    keepSaying('state', { battery: { level: 50, charging: true } });
    await say('events', { seq: 1, event: 'mission_started', mission: 'm1' });
    await until('both are there', () => link.state?.() !== undefined && types.length > 0);
    expect(link.state?.()).toEqual({ battery: { level: 50, charging: true } });
    await fleet.close(); // while the mission goes on
    expect(types).toEqual(['robot.missions.started']);
  });

  it('is told to clients, with its missions', async () => {
    const { say } = await program();
    const SERVICE_ROBOT_URL = broker.url('service', '/robot-1');
    service = await startTestService({ settings: { SERVICE_MODE: 'robot', SERVICE_ROBOT_URL } });
    const link = await subscribeEvents(service.url, ['state', 'joints', 'missions'], {
      token: await service.token('USER'),
    });
    await say('state', { power: 'compliant', pose: { head: { x: 0, y: 0, z: 0.1, roll: 0, pitch: -10, yaw: 30 } } });
    await say('joints', { names: ['neck'], positions: [0.5] });
    await say('events', { seq: 1, event: 'mission_started', mission: 'm1', skills: ['nod'], client_id: '5d1c7e02-9' });
    await say('events', { seq: 2, event: 'mission_finished', mission: 'm1' });
    const told = (type: string) => link.events().find((event) => event.type === `robot.${type}`)?.data;
    await until('all is told', () => Boolean(told('joints.changed') && told('missions.finished')));
    await until('the state is told', () => link.events().some(({ data }) => data.power === 'compliant'));
    expect(told('joints.changed')).toEqual({ names: ['neck'], positions: [0.5] });
    expect(told('missions.started')).toEqual({ id: 'm1', skills: ['nod'], client: '5d1c7e02' });
    expect(link.events().find(({ data }) => data.power)?.data).toMatchObject({
      pose: { head: { pitch: -10 } },
      link: 'connected',
      simulated: false,
    });
    link.socket.close();
  });

  it('refuses motion while somebody else drives it, and never a stop or a query', async () => {
    const { say, keepSaying } = await program();
    const SERVICE_ROBOT_URL = broker.url('service', '/robot-1');
    service = await startTestService({ settings: { SERVICE_MODE: 'robot', SERVICE_ROBOT_URL } });
    const post = (path: string, value?: unknown) =>
      service?.as('USER', `/api/v2/${path}`, { method: 'POST', ...(value === undefined ? {} : { body: { value } }) });
    await say('presence', { ...ONLINE, features: [] }, true); // no emergency stop that would have to be released
    const drive = () => post('commands/go_to_relative', { x: 1 });
    await until('it can be driven', async () => (await drive())?.status === 200);
    const letGo = keepSaying('state', { driver: 'the joystick at the robot' });
    await until('it is refused', async () => (await drive())?.status === 409);
    expect((await drive())?.json).toMatchObject({
      code: 'driven_elsewhere',
      command_ran: 'no',
      detail: expect.stringContaining('the joystick at the robot'),
    });
    expect(await service.as('USER', '/api/v2/get/get_language')).toMatchObject({ status: 200 });
    expect(await post('stop')).toMatchObject({ status: 200, json: { stopped: true } });
    letGo();
    await say('state', { driver: null });
    await until('it can be driven again', async () => (await drive())?.status === 200);
  });

  it('goes through a robot that runs this service', async () => {
    const { hub } = testHub();
    let engaged = false;
    const body: RobotLink = {
      ...scriptedLink(() => 'ok'),
      state: () => ({ moving: true, driver: 'a joystick' }),
      joints: () => ({ names: ['neck'], positions: [0.5] }),
      emergencyStop: () => ({ state: engaged ? 'engaged' : 'released', source: 'a button', onChange() {} }),
    };
    const relayed = joinBroker(broker.url('robot-1'), { link: body, missions: hub });
    closing.push(() => relayed.relay.close());
    const told: unknown[] = [];
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    const far = testHub().hub;
    far.observe('missions', ({ type, data }) => told.push([type, data]));
    const link = await openMqttLink(config, { logger: silentLogger, clock: Date.now, events: far });
    links.push(link);
    await until('all is there', () => link.joints?.() !== undefined && link.emergencyStop?.()?.state === 'released');
    expect(link.state?.()).toEqual({ moving: true, driver: 'a joystick' });
    engaged = true;
    await until('it is engaged', () => link.emergencyStop?.()?.state === 'engaged');
    const mission = { id: 'm1', skills: ['nod'], client: '5d1c7e02' };
    hub.publish('missions', 'started', mission, { subject: 'm1' });
    hub.publish('missions', 'cancelled', { ...mission, message: 'Enough.' }, { subject: 'm1' });
    await until('both are told', () => told.length === 2);
    expect(told).toEqual([
      ['robot.missions.started', mission],
      ['robot.missions.cancelled', { ...mission, message: 'Enough.' }],
    ]);
  });

  it('leaves the relay of a service with its missions', async () => {
    service = await startTestService({
      settings: { SERVICE_RELAY_URL: broker.url('robot-1'), SERVICE_ROBOT_ID: 'robot-1' },
    });
    const { hub } = testHub();
    const told: string[] = [];
    hub.observe('missions', ({ type }) => told.push(type));
    const config = testConfig({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    const link = await openMqttLink(config, { logger: silentLogger, clock: Date.now, events: hub });
    links.push(link);
    await until('its state is there', () => link.state?.()?.pose !== undefined && link.joints?.() !== undefined);
    const own = await service.ports.get(events);
    own.publish('missions', 'started', { id: 'm1', skills: [], client: null }, { subject: 'm1' });
    await until('it is told', () => told.length === 1);
  });
});
