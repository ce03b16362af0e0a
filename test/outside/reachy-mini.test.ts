import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connectAsync, type MqttClient } from 'mqtt';
import { describeWith } from '../support/components.ts';
import { freePort } from '../support/free-port.ts';
import { faultyIn, linkCheck } from '../support/link-check.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { describeOutside, TOOLS } from '../support/outside/tools.ts';
import { Processes, until } from '../support/processes.ts';
import { CLIENT, startPython } from '../support/python-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const DAEMON = 'reachy/bin/reachy-mini-daemon';
const OFFLINE = { HF_HUB_OFFLINE: '1', REACHY_MINI_TELEMETRY: '0', DO_NOT_TRACK: '1' };
/** Another program, which turns the head to and fro all the time. */
const OTHER_PROGRAM = `
import json, sys, time
from urllib.request import Request, urlopen
body = json.dumps({"head_pose": {"x": 0, "y": 0, "z": 0, "roll": 0, "pitch": 0, "yaw": 0}, "duration": 1})
while True:
    for yaw in ("0.5", "-0.5"):
        text = body.replace('"yaw": 0', '"yaw": ' + yaw)
        urlopen(Request(sys.argv[1] + "/api/move/goto", text.encode(), {"Content-Type": "application/json"})).read()
        time.sleep(0.2)
`;

interface FullState {
  readonly control_mode: string;
  readonly head_pose: { readonly yaw: number };
}

describeOutside({ tools: [DAEMON] }, 'A Reachy Mini on its own daemon', () => {
  describeWith('mosquitto', MOSQUITTO, 'behind the service', () => {
    const processes = new Processes();
    const python = join(TOOLS, 'reachy/bin/python');
    let broker: TestBroker;
    let service: TestService;
    let daemon: string;
    let robot: ReturnType<typeof startPython>;
    let listener: MqttClient;
    const heard = new Map<string, { readonly [member: string]: unknown }>();

    beforeAll(async () => {
      const port = String(await freePort());
      daemon = `http://127.0.0.1:${port}`;
      const address = ['--fastapi-host', '127.0.0.1', '--fastapi-port', port];
      const quiet = ['--mockup-sim', '--no-media', '--headless', '--dataset-update-interval', '0'];
      processes.start(join(TOOLS, DAEMON), [...quiet, ...address], { HOME: temporaryFolder(), ...OFFLINE });
      broker = await startMosquitto();
      listener = await connectAsync(broker.url('service'), { protocolVersion: 5 });
      listener.on('message', (topic, payload) => heard.set(topic, JSON.parse(payload.toString())));
      await listener.subscribeAsync(['robots/robot-1/state', 'robots/robot-1/joints']);
      const settings = { SERVICE_MODE: 'robot', SERVICE_ROBOT_URL: broker.url('service', '/robot-1') };
      service = await startTestService({ settings });
      await until(
        'the daemon has started',
        async () => (await stateOf().catch(() => undefined)) !== undefined,
        120_000,
      );
      const environment = { ROBOT_BROKER: broker.url('robot-1'), REACHY_URL: daemon };
      robot = startPython([join(CLIENT, 'examples/reachy_mini.py'), 'robot-1'], environment, { python });
      await until('it is connected', async () => (await status()).robot === 'connected');
    });
    afterAll(async () => {
      robot?.child.kill('SIGTERM');
      await robot?.ended;
      await listener?.endAsync();
      await service?.stop();
      await processes.stopAll();
      await broker?.kill();
    });

    const stateOf = async () => (await fetch(`${daemon}/api/state/full`)).json() as Promise<FullState>; // as: its API
    const moves = async () => (await fetch(`${daemon}/api/move/running`)).json() as Promise<unknown[]>; // as: a list
    const status = async () => (await service.as(undefined, '/status')).json;
    const post = (path: string, value?: unknown) =>
      service.as('USER', `/api/v2/${path}`, { method: 'POST', ...(value === undefined ? {} : { body: { value } }) });

    /** Calls a mission and waits for its end. */
    async function completed(command: string, value?: unknown) {
      const called = await post(`commands/${command}`, value);
      expect(called).toMatchObject({ status: 200, json: { ok: true, result: { called: true } } });
      return (await post('commands/wait_for_skill', called.json.result.msg)).json.result;
    }

    it('wakes up, looks around, moves its antennas, and says where they are', async () => {
      expect((await status()).robot_notes).toBeUndefined();
      expect(await completed('wake_up')).toMatchObject({ awaited: true });
      expect(await completed('go_to', { yaw: 30, pitch: -10 })).toMatchObject({ awaited: true });
      expect((await stateOf()).head_pose.yaw).toBeCloseTo(Math.PI / 6, 1);
      expect(await completed('antennas', { right: 45, left: -45 })).toMatchObject({ awaited: true });
      const looks = () => heard.get('robots/robot-1/state')?.pose as { head: { yaw: number } }; // as: frames
      await until('it says where it looks', () => Math.abs(looks().head.yaw - 30) < 3);
      const { names, positions } = heard.get('robots/robot-1/joints') as { names: string[]; positions: number[] }; // as: joints
      expect(names).toHaveLength(9);
      expect(positions[names.indexOf('left_antenna')]).toBeCloseTo(-Math.PI / 4, 1);
    });

    it('does not go where it cannot', async () => {
      expect(await post('commands/go_to', { yaw: 90 })).toMatchObject({
        status: 422,
        json: { errors: [{ pointer: '/value/yaw' }] },
      });
    });

    it('is stopped in the middle of a move, whoever started it', async () => {
      expect(await post('commands/go_to', { yaw: -30, duration: 8 })).toMatchObject({ json: { ok: true } });
      await until('it moves', async () => (await moves()).length > 0);
      expect(await post('stop')).toMatchObject({ status: 200, json: { stopped: true, cancelled_missions: 1 } });
      const stood = await stateOf();
      expect(await moves()).toEqual([]);
      expect((await stateOf()).head_pose).toEqual(stood.head_pose);
      expect(stood.head_pose.yaw).toBeGreaterThan(-0.5);
    });

    it('does not confirm a stop while another program goes on moving it', async () => {
      const other = processes.start(python, ['-c', OTHER_PROGRAM, daemon]);
      try {
        await until('it moves', async () => (await moves()).length > 0);
        const answer = await post('stop');
        expect([answer.status, answer.json.code]).toEqual([502, 'robot_error']);
      } finally {
        await processes.stop(other);
      }
      await until('a stop is confirmed', async () => (await post('stop')).status === 200);
    });

    it('sleeps with its motors off, and then has to be woken up', async () => {
      expect(await completed('sleep')).toMatchObject({ awaited: true });
      expect((await stateOf()).control_mode).toBe('disabled');
      expect(await post('commands/go_to', { yaw: 0 })).toMatchObject({ status: 409, json: { code: 'not_ready' } });
      expect(await completed('wake_up')).toMatchObject({ awaited: true });
    });

    it('is found sound by the check of its link', async () => {
      const { code, stdout } = await linkCheck(broker, ['--yes']);
      expect([faultyIn(stdout), code]).toEqual([[], 0]);
    });
  });
});
