/**
 * `npm run bench:hazards`: what REST reports and what the robot does when something between them fails during a move,
 * as the Markdown table in docs/safety.md. Requires mosquitto and Debian's python3-paho-mqtt.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { http } from '../test/support/http.ts';
import { startMosquitto, type TestBroker } from '../test/support/mosquitto.ts';
import { type ServiceProcess, startProcess } from '../test/support/process.ts';
import { until } from '../test/support/processes.ts';
import { PythonRobot, ROBOTS } from '../test/support/python-robot.ts';
import { joinBroker } from '../test/support/relay.ts';
import { startTestService, type TestService } from '../test/support/service.ts';

/** Long enough for anything that ends a motion automatically; the move itself takes twice as long. */
const WATCH_MS = 4_000;
const MOVE = { x: 5 }; // metres, at 0.5 m/s

interface Bed {
  readonly broker: TestBroker;
  readonly robot: PythonRobot;
  readonly service: TestService;
  /** A robot that runs this service between the broker and its own program; only if requested. */
  readonly bridge?: ServiceProcess;
  readonly close: () => Promise<void>;
}

async function open({ bridged = false, clock = Date.now } = {}): Promise<Bed> {
  const broker = await startMosquitto();
  const inner = bridged ? await startMosquitto() : broker;
  const robot = runRobot(inner);
  const bridge = bridged ? await startBridge(broker, inner) : undefined;
  const settings = { SERVICE_MODE: 'robot', SERVICE_ROBOT_URL: broker.url('service', '/robot-1') };
  const service = await startTestService({ settings, clock });
  await until('the robot is there', async () => (await statusOf(service)).robot === 'connected', 30_000);
  return {
    broker,
    robot,
    service,
    ...(bridge ? { bridge } : {}),
    async close() {
      await service.stop();
      await bridge?.end('SIGKILL');
      await robot.end();
      for (const each of new Set([broker, inner])) await each.kill();
    },
  };
}

function runRobot(broker: TestBroker): PythonRobot {
  const password = { ROBOT_MQTT_PASSWORD: broker.password('robot-1') };
  return new PythonRobot(ROBOTS["Debian's paho-mqtt"], ['127.0.0.1', String(broker.port), 'robot-1'], password);
}

function startBridge(outer: TestBroker, inner: TestBroker): Promise<ServiceProcess> {
  return startProcess({
    SERVICE_MODE: 'robot',
    SERVICE_ROBOT_ID: 'robot-1',
    SERVICE_ROBOT_URL: inner.url('service', '/robot-1'),
    SERVICE_RELAY_URL: outer.url('robot-1'),
  });
}

const statusOf = async (service: TestService) => (await service.as(undefined, '/status')).json;
const go = (service: TestService) =>
  service.as('USER', '/api/v2/commands/go_to_relative', { method: 'POST', body: { value: MOVE } });

async function timed(call: () => Promise<{ readonly status: number; readonly json?: Record<string, unknown> }>) {
  const began = performance.now();
  const { status, json = {} } = await call();
  const said = [status, json.code, json.command_ran].filter((part) => part !== undefined).join(' ');
  return { said, text: `${said} (${Math.round(performance.now() - began)} ms)` };
}

/** ms until the robot first stood still, according to its own program. */
function stoodAfter(robot: PythonRobot, since: number): string {
  const stands = robot.speeds().find(({ at, speed }) => at >= since && speed < 0.01);
  if (stands) return `stands still after ${stands.at - since} ms`;
  return robot.ended ? 'its program is gone; depends on its actuators' : `keeps moving (for at least ${WATCH_MS} ms)`;
}

async function hazard(name: string, bed: Bed, strike: (bed: Bed) => unknown): Promise<void> {
  const { robot, service } = bed;
  try {
    await until('the move is accepted', async () => (await go(service)).status === 200);
    await until('the robot moves', () => robot.moves());
    const struckAt = Date.now();
    await strike(bed);
    let noticed = '`connected`';
    while (Date.now() - struckAt < WATCH_MS) {
      const { robot: state } = await statusOf(service);
      if (state !== 'connected' && noticed === '`connected`')
        noticed = `\`${state}\` after ${Date.now() - struckAt} ms`;
      await pause(5);
    }
    const does = stoodAfter(robot, struckAt);
    const motion = await timed(() => go(service));
    const stop = await timed(() => service.as('USER', '/api/v2/stop', { method: 'POST' }));
    row(name, does, noticed, motion.text, stop.text);
  } finally {
    await bed.close();
  }
}

function row(...cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

/** A service in a separate process, which can be killed. */
async function serviceKilled(): Promise<void> {
  const broker = await startMosquitto();
  const robot = runRobot(broker);
  const service = await startProcess({ SERVICE_MODE: 'robot', SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
  try {
    const { headers } = await http(service.socketPath, '/api/v2/auth/');
    const authorization = String(headers.authorization);
    const call = { method: 'POST', headers: { authorization }, body: { value: MOVE } };
    const accepted = async () => (await http(service.url, '/api/v2/commands/go_to_relative', call)).status === 200;
    await until('the move is accepted', accepted, 30_000);
    await until('the robot moves', () => robot.moves());
    const struckAt = Date.now();
    await service.end('SIGKILL');
    await pause(WATCH_MS);
    row('Service killed', stoodAfter(robot, struckAt), 'no answer', 'no answer', 'no answer');
  } finally {
    await service.end('SIGKILL');
    await robot.end();
    await broker.kill();
  }
}

async function clockOff(): Promise<void> {
  const bed = await open({ clock: () => Date.now() + 3_000 });
  try {
    const motion = await timed(() => go(bed.service));
    const stop = await timed(() => bed.service.as('USER', '/api/v2/stop', { method: 'POST' }));
    row("Robot's clock 3 s behind", 'does not start moving', '`connected`', motion.text, stop.text);
  } finally {
    await bed.close();
  }
}

async function twins(): Promise<void> {
  const bed = await open();
  const { robot, service } = bed;
  await until('the move is accepted', async () => (await go(service)).status === 200);
  await until('the robot moves', () => robot.moves());
  const startedAt = Date.now();
  const other = runRobot(bed.broker);
  try {
    let problemAt: number | undefined;
    const isOver = () => robot.ended || other.ended;
    while (!(isOver() && problemAt) && Date.now() - startedAt < 30_000) {
      if ((await statusOf(service)).robot_problem !== undefined) problemAt ??= Date.now();
      await pause(5);
    }
    const stands = robot.speeds().findLast(({ speed }) => speed >= 0.01);
    const over = robot.saidAt('Another program') ?? other.saidAt('Another program');
    const noticed = problemAt ? `\`robot_problem\` after ${problemAt - startedAt} ms` : 'nothing';
    const does = `the first stands still after ${(stands?.at ?? startedAt) - startedAt} ms and exits after ${(over ?? 0) - startedAt} ms`;
    await pause(1_000);
    await until('the other is there', async () => (await statusOf(service)).robot === 'connected');
    const stop = await timed(() => service.as('USER', '/api/v2/stop', { method: 'POST' }));
    row('Twin program, from its start', does, noticed, 'to whichever is connected', stop.text);
  } finally {
    await other.end();
    await bed.close();
  }
}

async function twinRelays(): Promise<void> {
  const broker = await startMosquitto();
  const first = joinBroker(broker.url('robot-1'));
  await pause(1_000);
  const startedAt = Date.now();
  const second = joinBroker(broker.url('robot-1'));
  const isOff = () => [first, second].some(({ relay }) => relay.problem() !== undefined);
  await until('one of them disconnects', isOff, 60_000);
  const off = first.relay.problem() === undefined ? 'second' : 'first';
  const does = `the ${off} disconnects after ${Date.now() - startedAt} ms`;
  row('Twin relay, from its start', does, '`/health/ready` of that one: 503', 'to the other one', 'to the other one');
  for (const { relay } of [first, second]) await relay.close();
  await broker.kill();
}

row('failure in the middle of a move', 'the robot', '`/status`', 'a new motion', 'a stop');
row('---', '---', '---', '---', '---');
await hazard('Broker killed', await open(), ({ broker }) => broker.kill());
await hazard('Broker frozen', await open(), ({ broker }) => broker.freeze());
await serviceKilled();
await hazard("Robot's own program killed", await open(), ({ robot }) => robot.end());
await hazard('Bridge killed (a relay before it)', await open({ bridged: true }), ({ bridge }) =>
  bridge?.end('SIGKILL'),
);
await hazard('Bridge frozen', await open({ bridged: true }), ({ bridge }) => bridge?.child.kill('SIGSTOP'));
await hazard('Daemon behind a bridge killed', await open({ bridged: true }), ({ robot }) => robot.end());
await clockOff();
await twins();
await twinRelays();
process.exit(0);
