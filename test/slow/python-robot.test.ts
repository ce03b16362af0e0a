import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { makeCertificate, OPENSSL } from '../support/certificates.ts';
import { describeWith } from '../support/components.ts';
import { freePort } from '../support/free-port.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { until } from '../support/processes.ts';
import { CLIENT, startPython } from '../support/python-client.ts';
import { ROBOTS } from '../support/python-robot.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const { python } = ROBOTS['the package robot_rest.robot'];
const PROGRAM = 'from robot_rest.robot import Robot; import sys; Robot("robot-1", sys.argv[1], ca=sys.argv[2]).run()';

/** Its motors run when it starts, as after a crash, and cannot be halted before the file exists. */
const RUNAWAY = `
import os, sys
from robot_rest.robot import Robot
robot, wheel = Robot("robot-1", sys.argv[1]), {"speed": 1.0}
@robot.on_stop
def stop():
    os.stat(sys.argv[2])
    wheel["speed"] = 0.0
    return robot.standstill(lambda: wheel["speed"])
@robot.query()
def speed() -> float:
    return wheel["speed"]
robot.run()`;

describeWith('mosquitto', MOSQUITTO, 'A robot on the package robot_rest.robot', () => {
  describeWith('openssl', OPENSSL, 'with a service', () => {
    describeWith('paho-mqtt 2', python, 'it', () => {
      const { certPath, keyPath } = makeCertificate(temporaryFolder(), 'broker');
      let broker: TestBroker;
      let service: TestService;
      let tlsPort: number;
      const robots: Array<ReturnType<typeof startPython>> = [];

      beforeAll(async () => {
        tlsPort = await freePort();
        broker = await startMosquitto([`listener ${tlsPort} 127.0.0.1`, `certfile ${certPath}`, `keyfile ${keyPath}`]);
        const SERVICE_ROBOT_URL = broker.url('service', '/robot-1');
        service = await startTestService({ settings: { SERVICE_MODE: 'robot', SERVICE_ROBOT_URL } });
      });
      afterAll(async () => {
        await service.stop();
        await broker.kill();
      });
      afterEach(async () => {
        for (const { child, ended } of robots.splice(0)) {
          child.kill('SIGTERM');
          expect((await ended).code).toBe(0);
        }
        await until('it is gone', async () => (await status()).robot === 'disconnected');
      });

      function begin(args: readonly string[], environment: Record<string, string> = {}) {
        const robot = startPython(args, environment, { python });
        robots.push(robot);
        return robot;
      }

      const status = async () => (await service.as(undefined, '/status')).json;
      const online = () => until('it is connected', async () => (await status()).robot === 'connected');
      const post = (path: string, value?: unknown) =>
        service.as('USER', `/api/v2/${path}`, {
          method: 'POST',
          ...(value === undefined ? {} : { body: { value } }),
        });
      const placeOf = async () => (await service.as('USER', '/api/v2/get/get_pose')).json.result.x;

      it('is connected, driven, awaited and stopped through the service, as the short example is', async () => {
        begin([join(CLIENT, 'examples/robot.py'), 'robot-1'], { ROBOT_BROKER: broker.url('robot-1') });
        await online();
        expect((await status()).robot_notes).toBeUndefined();
        expect(await post('commands/go_to_relative', { x: 11 })).toMatchObject({ status: 200, json: { ok: false } });
        const near = await post('commands/go_to_relative', { x: 0.1 });
        expect(near).toMatchObject({ status: 200, json: { ok: true, result: { called: true } } });
        const arrived = await post('commands/wait_for_skill', near.json.result.msg);
        expect(arrived).toMatchObject({ json: { ok: true, result: { awaited: true } } });
        expect(await placeOf()).toBeCloseTo(0.1, 5);

        expect(await post('commands/go_to_relative', { x: 9 })).toMatchObject({ json: { ok: true } });
        expect(await post('commands/go_to_relative', { x: 8 })).toMatchObject({ json: { ok: true, replaced: true } });
        await until('it moves', async () => (await placeOf()) > 0.11);
        expect(await post('stop')).toMatchObject({ status: 200, json: { stopped: true, cancelled_missions: 1 } });
        const stood = await placeOf();
        expect(await placeOf()).toBe(stood);
      });

      it('trusts a broker by its own certificate only', async () => {
        const url = `mqtts://robot-1:${broker.password('robot-1')}@localhost:${tlsPort}`;
        const stranger = begin(['-c', PROGRAM, url, makeCertificate(temporaryFolder(), 'other').certPath]);
        await until('it is refused', () => stranger.said.stderr.includes('CERTIFICATE_VERIFY_FAILED'));
        expect(stranger.said.stderr).not.toContain(broker.password('robot-1'));
        begin(['-c', PROGRAM, url, certPath]);
        await online();
      });

      it('is halted before it is online, and stays offline while that fails', async () => {
        const works = join(temporaryFolder(), 'works');
        const url = broker.url('robot-1');
        const robot = begin(['-c', RUNAWAY, url, works]);
        await until('it says why', () => robot.said.stderr.includes('the robot stays offline: '));
        expect(robot.said.stderr).toMatch(/its stop function failed\. FileNotFoundError: .*works/);
        expect((await status()).robot).toBe('disconnected');
        writeFileSync(works, '');
        await online();
        expect(await post('commands/speed')).toMatchObject({ json: { ok: true, result: 0 } });
      });

      it('says whom the broker does not let publish', async () => {
        const wrong = ['-c', RUNAWAY.replace('"robot-1"', '"robot-2"'), broker.url('robot-1'), '/'];
        const { child, said, ended } = startPython(wrong, {}, { python });
        const lines = () => said.stderr;
        await until('it says so', () => lines().includes('its user name must be its id'));
        expect(lines()).toContain('the broker does not let the user robot-1 publish below robots/robot-2');
        child.kill('SIGTERM');
        expect((await ended).code).toBe(0);
      });

      it('says what to install where paho-mqtt is too old', async () => {
        const { python: older } = ROBOTS["Debian's paho-mqtt"];
        const { code, stderr } = await startPython(
          ['-c', PROGRAM, 'mqtts://localhost', certPath],
          {},
          { python: older },
        ).ended;
        expect([code, stderr]).toEqual([1, expect.stringMatching(/ImportError: .*pip install 'paho-mqtt>=2'\n$/)]);
      });
    });
  });
});
