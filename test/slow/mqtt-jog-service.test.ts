import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { broker, closing, describeExample, start } from '../support/python-example.ts';
import { startTestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const AHEAD = { vx: 0.2, vy: 0, wz: 0 };
const STILL = { vx: 0, vy: 0, wz: 0 };

describeExample('The example robot in Python, driven by hand through the service,', (python) => {
  /** The robot, and a client of the service that holds the lease and echoes what it is told. */
  async function drive(environment: Record<string, string> = {}) {
    const { robot } = await start(python, environment);
    const SERVICE_ROBOT_URL = broker.url('service', '/robot-1');
    const service = await startTestService({ settings: { SERVICE_MODE: 'robot', SERVICE_ROBOT_URL } });
    closing.push(() => service.stop());
    const post = (path: string, body: object = {}) => service.as('USER', `/api/v2/${path}`, { method: 'POST', body });
    const get = async (path: string) => (await service.as('USER', `/api/v2/${path}`)).json;
    await until('the emergency stop is known', async () => (await get('estop')).state === 'released');
    const instance = randomBytes(16).toString('base64url');
    const { lease_id: lease } = (await post('lease/', { instance, ttl_ms: 10_000 })).json;
    let seq = 0;
    let stamp: string | undefined;
    const go = () =>
      service.as('USER', '/api/v2/commands/go_to_relative/', {
        method: 'POST',
        body: { value: { x: 9 } },
        headers: { lease },
      });
    const frame = async (velocity: object) => {
      seq += 1;
      const { json } = await post('jog/', { lease, seq, ...velocity, ...(stamp ? { stamp } : {}), deadline_ms: 500 });
      stamp = json.stamp;
      return json;
    };
    /** Holds the stick for ten frames; why some of them were refused. */
    const holdInVain = async () => {
      const codes = new Set<string>();
      for (let count = 0; count < 10; count += 1) {
        const { code } = await frame(AHEAD);
        if (code !== 'precondition_failed') codes.add(code); // its stamp was too old: the machine is busy
        await pause(50);
      }
      return [...codes];
    };
    /** Holds the stick until something is so. On a busy machine a frame can come too late: then it is let go in between. */
    const holdUntil = async (what: string, isSo: () => boolean) => {
      let refused = false;
      await until(what, async () => {
        const { code } = await frame(refused ? STILL : AHEAD);
        refused = code !== undefined;
        return isSo();
      });
    };
    await frame(STILL);
    return { robot, post, get, go, frame, holdInVain, holdUntil };
  }

  it('moves while frames come, and stands when they end', async () => {
    const { robot, holdUntil } = await drive();
    await holdUntil('it moves', () => robot.moves());
    await until('it stands', () => !robot.moves(), 5_000);
  });

  it('stands after a stop, until the stick is let go', async () => {
    const { robot, post, frame, holdInVain, holdUntil } = await drive();
    await holdUntil('it moves', () => robot.moves());
    expect((await post('stop')).json).toMatchObject({ stopped: true });
    expect(await holdInVain()).toEqual(['stopped']);
    expect(robot.moves()).toBe(false);
    await frame(STILL);
    await holdUntil('it moves again', () => robot.moves());
  });

  it('moves by hand in place of the drive under way', async () => {
    const { robot, go, holdUntil } = await drive();
    expect((await go()).json).toMatchObject({ ok: true });
    await until('it drives', () => (robot.speeds().at(-1)?.speed ?? 0) > 0.45);
    await holdUntil('it moves at the speed of the stick', () => {
      const speed = robot.speeds().at(-1)?.speed ?? 0;
      return speed > 0.15 && speed < 0.25;
    });
  });

  it('stands while its emergency stop is engaged, and is told of it', async () => {
    const file = join(temporaryFolder(), 'engaged');
    const { robot, get, frame, holdInVain, holdUntil } = await drive({ ROBOT_ESTOP_FILE: file });
    await holdUntil('it moves', () => robot.moves());
    writeFileSync(file, '');
    await until('it is known', async () => (await get('estop')).state === 'engaged');
    expect(await holdInVain()).toEqual(['stopped']); // the stick has not been let go
    await frame(STILL);
    expect(await holdInVain()).toEqual(['estop_engaged', 'stopped']); // which latches
    expect(robot.moves()).toBe(false);
    rmSync(file);
    await until('it is released', async () => (await get('estop')).state === 'released');
    await frame(STILL);
    await holdUntil('it moves again', () => robot.moves());
  });
});
