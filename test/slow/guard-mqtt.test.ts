import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { type GuardedService, guardsOf, startGuarded, stopAt, writeCommand } from '../support/guarded-service.ts';
import { http } from '../support/http.ts';
import { MOSQUITTO } from '../support/mosquitto.ts';
import { freshEnvironment, runToEnd } from '../support/process.ts';
import { isAlive, until } from '../support/processes.ts';
import { broker, start, useBroker } from '../support/python-example.ts';
import { type PythonRobot, ROBOTS } from '../support/python-robot.ts';
import { temporaryFolder } from '../support/world.ts';

const PYTHON = ROBOTS["Debian's paho-mqtt"];
const FAR = { x: 0, y: 0, z: 0, theta: 36_000 }; // it turns for ten minutes
const INSTANCE = 'mK3xV0c9Q2yT5uR8wZ1aBg';

describeWith('mosquitto', MOSQUITTO, 'The guard of a robot behind a broker', () => {
  useBroker();
  describeWith('python3-paho-mqtt', PYTHON.python, 'it', () => {
    let service: GuardedService | undefined;
    let robot: PythonRobot;

    /** A standing robot, with the service of the test before where that lives. */
    async function begin(): Promise<GuardedService> {
      ({ robot } = await start(PYTHON));
      const running = service ?? (await open(temporaryFolder()));
      await until('the robot is connected', async () => {
        const { json } = await http(running.main.url, '/status');
        return json.robot === 'connected' && json.stop !== null;
      });
      service = running;
      return running;
    }
    const open = (
      home: string,
      { key, settings }: { key?: string | undefined; settings?: Record<string, string> } = {},
    ) => startGuarded(home, { SERVICE_ROBOT_URL: broker.url('service', '/robot-1'), ...settings }, key);
    async function close(): Promise<void> {
      const ended = service;
      service = undefined;
      await ended?.main.end('SIGKILL');
      await until('no guard is left', () => ended === undefined || !isAlive(ended.guard), 60_000);
    }
    afterEach(async () => {
      service?.main.child.kill('SIGCONT');
      const { exitCode, signalCode } = service?.main.child ?? {};
      if (exitCode ?? signalCode) await close();
    });
    afterAll(close);

    const standing = () => until('the robot stands', () => !robot.moves());
    /** After a stop no motion is let through for a moment. */
    async function drive(by: GuardedService, lease?: string): Promise<void> {
      await until('the drive is taken', async () => (await by.run('go_to_relative', FAR, lease)).status === 200);
      await until('the robot moves', () => robot.moves());
    }
    /** On a busy machine the service may take longer than the guard waits for it. */
    const stopsFenced = (by: GuardedService) =>
      until('the service confirms a stop', async () => {
        const { json } = await http(by.stopSocket, '/api/v2/stop', { method: 'POST' });
        return json.stopped === true && json.fenced === true;
      });
    async function lease({ token, main }: GuardedService): Promise<string> {
      const headers = { authorization: `Bearer ${token}` };
      const body = { instance: INSTANCE, ttl_ms: 5_000 };
      return (await http(main.url, '/api/v2/lease/', { method: 'POST', body, headers })).json.lease_id;
    }

    it('stops it together with the service, which then lets new motion pass', async () => {
      const guarded = await begin();
      await drive(guarded);
      expect(await guarded.stop()).toMatchObject({ status: 200, json: { stopped: true } });
      await standing();
      await stopsFenced(guarded);
      await drive(guarded);
    });

    it.each<[string, NodeJS.Signals]>([
      ['blocked', 'SIGUSR2'],
      ['frozen', 'SIGSTOP'],
      ['killed', 'SIGKILL'],
    ])('stops it while the service is %s, over the port and over the socket', async (_how, signal) => {
      const guarded = await begin();
      await drive(guarded);
      guarded.main.child.kill(signal);
      await sleep(200);
      expect(await guarded.stop()).toMatchObject({ status: 200, json: { stopped: true, fenced: false } });
      await standing();
      const overSocket = await http(guarded.stopSocket, '/api/v2/stop', { method: 'POST' });
      expect(overSocket).toMatchObject({ status: 200, json: { stopped: true } });
    });

    it('does not let a command move it that was written before the stop to a frozen service', async () => {
      const guarded = await begin();
      guarded.main.child.kill('SIGSTOP');
      const early = [writeCommand(guarded, 'go_to_relative', FAR), writeCommand(guarded, 'go_to_relative', FAR)];
      await sleep(200);
      expect(await guarded.stop()).toMatchObject({ status: 200, json: { fenced: false } });
      guarded.main.child.kill('SIGCONT');
      for (const { answer } of early) expect(await answer).toMatch(/^HTTP\/1\.1 409 [\s\S]*"code":"stopped"/);
      await sleep(1_000);
      expect(robot.speeds().every(({ speed }) => speed < 0.01)).toBe(true);
    });

    it('stops leased motion when the service is frozen for longer than the lease', async () => {
      const guarded = await begin();
      await drive(guarded, await lease(guarded));
      guarded.main.child.kill('SIGSTOP');
      await standing();
      guarded.main.child.kill('SIGCONT');
      await sleep(1_000);
      expect(robot.moves()).toBe(false);
    });

    it('is started again when it ends', async () => {
      const guarded = await begin();
      process.kill(guarded.guard, 'SIGKILL');
      await until('another one serves', async () => {
        const [next] = guardsOf(guarded.main);
        const { stop } = (await http(guarded.main.url, '/status')).json;
        if (next === undefined || next === guarded.guard || stop === null) return false;
        const stopUrl = `http://127.0.0.1:${stop.port}`; // chosen by the system, as that of the service
        service = { ...guarded, guard: next, stopUrl, stop: stopAt(stopUrl, guarded.token) };
        return true;
      });
      await stopsFenced(guarded);
    });

    it('serves stop and nothing else, to few connections, and to none that says nothing', async () => {
      const { stop, stopUrl } = await begin();
      const to = async (path: string, call = {}) => (await http(stopUrl, path, call)).status;
      expect(await to('/api/v2/stop', { method: 'POST' })).toBe(401);
      expect(await to('/api/v2/stop', { method: 'POST', headers: { authorization: 'Bearer a.b.c' } })).toBe(401);
      expect(await to('/rest/api/v1/stop/', { method: 'OPTIONS' })).toBe(204);
      expect(await to('/api/v2/stop')).toBe(405);
      expect(await to('/status')).toBe(404);
      expect(await to('/api/v2/stop', { method: 'POST', headers: { host: 'evil.example' } })).toBe(421);
      const { hostname, port } = new URL(stopUrl);
      const idle = Array.from({ length: 9 }, () => connect(Number(port), hostname).on('error', () => undefined));
      const ended = idle.map((socket) => new Promise((resolve) => socket.once('close', resolve).resume()));
      await ended[0]; // the oldest made room
      expect((await stop()).status).toBe(200);
      await Promise.all(ended);
    });

    it('refuses the tokens of a key from the moment at which it is revoked', async () => {
      const { main, home, stopUrl } = await begin();
      const { authorization = '' } = (await http(main.socketPath, '/api/v2/auth/')).headers;
      const stop = async () =>
        (await http(stopUrl, '/api/v2/stop', { method: 'POST', headers: { authorization } })).status;
      expect(await stop()).toBe(200);
      expect((await runToEnd(['api-key', 'revoke', '--id', 'local'], freshEnvironment({ HOME: home }))).code).toBe(0);
      await until('the guard has heard of it', async () => (await stop()) === 401);
    });

    it('stops leased motion at once when the service dies, and leaves other motion alone', async () => {
      const first = await begin();
      await drive(first);
      first.main.child.kill('SIGKILL');
      await sleep(3_000);
      expect(robot.moves()).toBe(true);
      // The guard of the next service takes the port over.
      const { port } = new URL(first.stopUrl);
      service = await open(first.home, { key: first.main.key, settings: { SERVICE_STOP_PORT: port } });
      expect(service.guard).not.toBe(first.guard);
      expect(service.stopUrl).toBe(first.stopUrl);
      await until('the orphan has ended', () => !isAlive(first.guard));
      expect(robot.moves()).toBe(true);
      await drive(service, await lease(service));
      service.main.child.kill('SIGKILL');
      await standing();
    });

    it('leaves motion without a lease alone when the service is restarted as planned', async () => {
      const first = await begin();
      await drive(first);
      expect((await first.main.end('SIGTERM')).code).toBe(0);
      expect(isAlive(first.guard)).toBe(false);
      service = await open(first.home, { key: first.main.key });
      expect(robot.moves()).toBe(true);
      await service.stop();
      await standing();
    });
  });
});
