/**
 * `npm run bench:links`: the round trip of one command over each link, sequentially and 32 at a time: in this process,
 * through a real mosquitto to a robot in a separate process, and to a stand-in for rosbridge in this process.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../functions/shared/config.ts';
import { Fence } from '../functions/shared/control/fence.ts';
import { createLogger } from '../functions/shared/observability/logger.ts';
import { NO_METRICS } from '../functions/shared/observability/metrics.port.ts';
import { openRobotLink } from '../functions/shared/robot-link/adapters/open.ts';
import type { RobotLink } from '../functions/shared/robot-link/port.ts';
import { freePort } from '../test/support/free-port.ts';
import { RosbridgeStandIn } from '../test/support/rosbridge-server.ts';
import { ROOT, startService } from './servers.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5_000);
const logger = createLogger('silent');
const folder = mkdtempSync(join(tmpdir(), 'robot-rest-links-'));
const mapping = join(folder, 'rosbridge.yaml');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

function open(url: string): Promise<RobotLink> {
  const { config } = loadConfig({ HOME: folder, SERVICE_ROBOT_URL: url, SERVICE_ROBOT_MAPPING_PATH: mapping });
  return openRobotLink(config, { logger, clock: Date.now, metrics: NO_METRICS, openFence: async () => new Fence() });
}

async function ask(link: RobotLink): Promise<number> {
  const started = performance.now();
  const sender = { clientId: 'bench', accessLevel: 'USER', keyId: 'bench' } as const;
  const options = { deadline: Date.now() + 10_000, signal: new AbortController().signal };
  await link.send({ command: 'sound_level', value: 40, sender }, options);
  return performance.now() - started;
}

async function measure(name: string, link: RobotLink): Promise<void> {
  while (!link.connected()) await new Promise((resolve) => setTimeout(resolve, 10));
  for (const atOnce of [1, 32]) {
    for (let round = 0; round < 500; round += 1) await ask(link);
    const times: number[] = [];
    const started = performance.now();
    const one = async () => {
      while (times.length < ROUNDS) times.push(await ask(link));
    };
    await Promise.all(Array.from({ length: atOnce }, one));
    const perSecond = Math.round((times.length * 1000) / (performance.now() - started));
    times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(3);
    process.stdout.write(`| ${name} | ${atOnce} | ${at(0.5)} | ${at(0.99)} | ${perSecond} |\n`);
  }
  await link.close();
}

execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'ignore' });
process.stdout.write('| link | at a time | p50 ms | p99 ms | commands/s |\n|---|--:|--:|--:|--:|\n');
await measure('simulated', await open('sim:'));
if (existsSync('/usr/sbin/mosquitto')) {
  const port = await freePort();
  const settings = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'set_tcp_nodelay true', 'user root'];
  writeFileSync(join(folder, 'mosquitto.conf'), `${settings.join('\n')}\n`);
  const broker = spawn('/usr/sbin/mosquitto', ['-c', join(folder, 'mosquitto.conf')], { stdio: 'ignore' });
  process.once('exit', () => broker.kill());
  const url = `mqtt://127.0.0.1:${port}`;
  const robot = await startService({ SERVICE_ROBOT_ID: 'bench', SERVICE_RELAY_URL: url });
  process.once('exit', () => robot.child.kill());
  await measure('MQTT, relay on the robot', await open(`${url}/bench`));
  await robot.stop();
}
writeFileSync(
  mapping,
  JSON.stringify({
    ros: 2,
    stop: { publish: [{ name: '/cmd_vel', type: 'geometry_msgs/msg/Twist', message: { linear: { x: 0 } } }] },
    commands: {
      sound_level: {
        title: 'Set the level of sounds',
        kind: 'float',
        bounds: { minimum: 0, maximum: 100 },
        service: { name: '/sound_level', type: 'bench/srv/SetLevel', args: { level: '$value' } },
      },
    },
  }),
);
const robot = await RosbridgeStandIn.start();
robot.services.set('/sound_level', () => ({}));
await measure('rosbridge, stand-in', await open(robot.url));
process.exit(0);
