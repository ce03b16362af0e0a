import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { type GuardedService, startGuardedBridge, writeCommand } from '../support/guarded-service.ts';
import { MOSQUITTO, startMosquitto } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { RobotCaller } from '../support/python-robot.ts';
import { RosbridgeStandIn } from '../support/rosbridge-server.ts';

const MAPPING = `ros: 1
stop: { publish: [{ name: /cmd_vel, type: geometry_msgs/Twist }], service: [{ name: /halt, success: $answer.ok }] }
commands:
  go: { title: Go, kind: coordinates, motion: true, publish: { name: /go, type: a/Place, message: { x: $x } } }
`;
const HERE = { x: 1, y: 0, z: 0, theta: 0 };

describe('The guard of a robot behind a rosbridge server', () => {
  let standIn: RosbridgeStandIn;
  let service: GuardedService;
  let halts: number;

  beforeEach(async () => {
    standIn = await RosbridgeStandIn.start();
    halts = 0;
    standIn.services.set('/halt', () => {
      halts += 1;
      return { ok: true };
    });
    await begin();
  }, 120_000);

  async function begin(settings: Record<string, string> = {}): Promise<void> {
    service = await startGuardedBridge(standIn.url, MAPPING, settings);
  }
  afterEach(async () => {
    service.main.child.kill('SIGCONT');
    await service.main.end('SIGTERM');
    await standIn.close();
  }, 60_000);

  it('stops it over connections of its own, on which nothing else is advertised', async () => {
    const advertised = (topic: string) => standIn.of('advertise', topic).length;
    expect({ stop: advertised('/cmd_vel'), command: advertised('/go') }).toEqual({ stop: 2, command: 1 });
    expect(await service.stop()).toMatchObject({ status: 200, json: { stopped: true } });
    await until('the service confirms in time', async () => (await service.stop()).json.fenced === true);
    expect(halts).toBeGreaterThan(0);
  }, 120_000);

  it.each<NodeJS.Signals>(['SIGKILL', 'SIGSTOP', 'SIGUSR2'])(
    'stops it after the service got %s, and once more at the end of the hold',
    async (signal) => {
      service.main.child.kill(signal);
      await sleep(200);
      expect(await service.stop()).toMatchObject({ status: 200, json: { stopped: true, fenced: false } });
      const before = halts;
      expect(before).toBeGreaterThan(0);
      await until('the stop is repeated', () => halts > before);
    },
    120_000,
  );

  it('lets no command through that was written before the stop to a frozen service', async () => {
    service.main.child.kill('SIGSTOP');
    const early = writeCommand(service, 'go', HERE);
    await sleep(200);
    expect(await service.stop()).toMatchObject({ status: 200, json: { fenced: false } });
    service.main.child.kill('SIGCONT');
    expect(await early.answer).toMatch(/^HTTP\/1\.1 409 [\s\S]*"code":"stopped"/);
    expect(standIn.of('publish', '/go')).toEqual([]);
  }, 120_000);

  describeWith('mosquitto', MOSQUITTO, 'that the cloud reaches through a broker', () => {
    it('takes a stop from the cloud while the service is frozen', async () => {
      const broker = await startMosquitto();
      const caller = await RobotCaller.join(broker);
      try {
        await service.main.end('SIGTERM');
        await begin({ SERVICE_ROBOT_ID: 'robot-1', SERVICE_RELAY_URL: broker.url('robot-1') });
        await until('the robot has joined', () => caller.presence?.online === true);
        service.main.child.kill('SIGSTOP');
        await sleep(200);
        expect(await caller.stop()).toMatchObject({ ok: true, result: { stopped: true } });
        expect(halts).toBeGreaterThan(0);
      } finally {
        caller.leave();
        await broker.kill();
      }
    }, 120_000);
  });
});
