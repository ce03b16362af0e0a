import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import { home } from '../servers.ts';
import { Bridge, type FarEnd, frameOf, MAPPING, MqttRobot } from './link.ts';
import type { LoadName } from './load.ts';

/** One row of the table: the attack on the service while stops are requested. */
export interface Row {
  readonly name: string;
  readonly load?: LoadName;
  /** What the bridge sends continuously, as WebSocket frames. */
  readonly flood?: () => Buffer;
  /** Descriptor limit of the service. */
  readonly descriptors?: number;
  /** The robot is part of a fleet behind a broker, next to a hostile one. */
  readonly fleet?: true;
  /** The database contains a million rows. */
  readonly rows?: true;
  /** The stops go to the guard while the service is in this state. */
  readonly guard?: ServiceState;
  /** The only robot is behind a broker. */
  readonly mqtt?: true;
}

export type ServiceState = 'alive' | 'blocked' | 'frozen' | 'killed' | 'out of memory';

const MIB = 1024 * 1024;
/** The service accepts messages of up to 4 MiB from a bridge; leaves some room for the rest of the message. */
const LARGEST_MESSAGE = 4 * MIB - 100;

export const ROWS: readonly Row[] = [
  { name: 'at rest' },
  { name: '3,000 idle connections', load: 'idle' },
  { name: 'all 256 descriptors held', load: 'descriptors', descriptors: 256 },
  { name: '32 heavy bodies', load: 'heavy' },
  { name: 'pipelined downloads', load: 'downloads' },
  { name: '20 readers of a million rows', load: 'readers', rows: true },
  { name: '600 waiting clients', load: 'waiting' },
  { name: 'hostile bridge: 4 MiB of depth', flood: () => frameOf('['.repeat(LARGEST_MESSAGE)) },
  {
    name: 'hostile bridge: 4 MiB of members',
    flood: () => frameOf(`{"op":"publish","topic":"/odom","msg":[${'0,'.repeat(LARGEST_MESSAGE / 2 - 30)}0]}`),
  },
  {
    name: 'hostile bridge: small messages without end',
    flood: () =>
      Buffer.concat(
        Array.from({ length: 1_000 }, (_, n) => frameOf(JSON.stringify({ op: 'publish', topic: '/odom', msg: { n } }))),
      ),
  },
  { name: 'at rest, over MQTT', fleet: true },
  { name: 'hostile robot: presence of 3.6 MB, 8 a second', fleet: true, load: 'presence' },
  { name: 'guard: at rest', guard: 'alive' },
  { name: 'guard: at rest, over MQTT', guard: 'alive', mqtt: true },
  { name: 'guard: service blocked', guard: 'blocked' },
  { name: 'guard: service frozen', guard: 'frozen' },
  { name: 'guard: service frozen, over MQTT', guard: 'frozen', mqtt: true },
  { name: 'guard: service killed', guard: 'killed' },
  { name: 'guard: service killed, over MQTT', guard: 'killed', mqtt: true },
  { name: 'guard: service out of memory', guard: 'out of memory' },
  { name: 'guard: all 256 descriptors of the service held', guard: 'alive', load: 'descriptors', descriptors: 256 },
];

/** The robot of a row, and its address. */
export interface Robot {
  readonly end: FarEnd;
  /** {@link Bridge.flood}; undefined for a broker. */
  readonly flood?: (frames: Buffer) => void;
  readonly settings: Readonly<Record<string, string>>;
  /** Prefix of the service's paths. */
  readonly prefix: string;
  readonly brokerUrl: string;
}

export async function startRobot({ fleet, mqtt }: Row): Promise<Robot> {
  if (fleet || mqtt) return startBehindBroker(fleet);
  const end = await Bridge.start();
  const mapping = join(home, 'rosbridge.yaml');
  writeFileSync(mapping, JSON.stringify(MAPPING));
  const settings = { SERVICE_ROBOT_URL: end.url, SERVICE_ROBOT_MAPPING_PATH: mapping };
  return { end, flood: (frames) => end.flood(frames), settings, prefix: '', brokerUrl: '' };
}

/** A mosquitto that allows large messages, and one well-behaved robot: one of a fleet, or the only one. */
async function startBehindBroker(fleet: true | undefined): Promise<Robot> {
  const port = await freePort();
  const lines = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'set_tcp_nodelay true', 'user root'];
  const file = join(home, 'mosquitto.conf');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const broker = spawn('/usr/sbin/mosquitto', ['-c', file], { stdio: 'ignore' });
  const kill = () => broker.kill('SIGKILL');
  process.once('exit', kill);
  const brokerUrl = `mqtt://127.0.0.1:${port}`;
  await listening(port);
  const robot = await MqttRobot.start(brokerUrl, 'good');
  const end: FarEnd = {
    get onStop() {
      return robot.onStop;
    },
    set onStop(hear) {
      robot.onStop = hear;
    },
    async close() {
      await robot.close();
      process.off('exit', kill);
      kill();
    },
  };
  if (fleet) return { end, settings: { SERVICE_ROBOT_URL: brokerUrl }, prefix: '/good/rest', brokerUrl };
  const settings = { SERVICE_ROBOT_URL: `${brokerUrl}/good`, SERVICE_ROBOT_ID: 'good' };
  return { end, settings, prefix: '', brokerUrl };
}

async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await pause(10);
  }
  throw new Error('mosquitto did not start listening');
}
