import { rmSync, writeFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { arrivalStamp } from '../../functions/shared/control/fence.ts';
import type { RobotLink, Velocity } from '../../functions/shared/robot-link/port.ts';
import { refusal } from '../support/errors.ts';
import { until } from '../support/processes.ts';
import { AHEAD, movedSince, STILL, Stick, stands, startDriving, startMoving } from '../support/python-driving.ts';
import { describeExample } from '../support/python-example.ts';
import { temporaryFolder } from '../support/world.ts';

const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
const options = () => ({ deadline: Date.now() + 10_000, signal: AbortSignal.timeout(10_000) });

describeExample('Driving the example robot in Python by hand', (python) => {
  it('moves it at that velocity, and not above its limits', async () => {
    const { robot, stick, link } = await startMoving(python);
    await until('it is as fast', () => Math.abs((robot.speeds().at(-1)?.speed ?? 0) - 0.2) < 0.01);
    stick.velocity = { vx: 30, vy: 40, wz: 0 };
    await until('it is as fast as it may be', () => (robot.speeds().at(-1)?.speed ?? 0) > 0.45);
    const { velocity } = (await untilState(link, (state) => (state.velocity?.linear ?? 0) > 0.45)) ?? {};
    expect(velocity?.linear).toBeLessThanOrEqual(0.501);
    stick.velocity = STILL;
    await stands(robot);
    stick.velocity = { ...STILL, wz: -0.5 };
    await untilState(link, (state) => (state.velocity?.angular ?? 0) < -28);
    expect(stick.refused).toEqual([]);
  });

  it('stands by itself when nothing comes any more, until the stick was let go', async () => {
    const { robot, stick, link } = await startMoving(python);
    stick.drop();
    await stands(robot);
    const frame = { velocity: AHEAD, seq: 1, validMs: 300, arrivedAt: arrivalStamp() };
    link.jog?.()?.send(frame); // preceded by zero velocity, and too close to it
    await pause(500);
    expect(robot.moves()).toBe(false);
    const other = new Stick(link);
    other.velocity = AHEAD;
    await until('it moves again', () => robot.moves());
  });

  it('ends with a stop, until the stick was let go', async () => {
    const { robot, stick, link } = await startMoving(python);
    expect(await link.stop(options())).toMatchObject({ stopped: true });
    const stopped = Date.now();
    await pause(1_000); // the stick is still held, and its frames come after the stop
    expect(movedSince(robot, stopped)).toBe(false);
    expect(stick.refused).toEqual([]);
    stick.velocity = STILL;
    await pause(200);
    stick.velocity = AHEAD;
    await until('it moves again', () => robot.moves());
  });

  it('ends with a stop by another service, whose frames of before do not count', async () => {
    const { robot, caller, link } = await startMoving(python);
    const before = link.fence.read();
    expect(await caller.stop()).toMatchObject({ ok: true });
    const stopped = Date.now();
    const frame = (velocity: Velocity, seq: number) =>
      caller.sayRaw('jog', JSON.stringify({ v: 1, fence: before, seq, ...velocity, valid_ms: 300 }));
    const ahead = Number.MAX_SAFE_INTEGER - 2 ** 33;
    for (let count = 0; count < 20; count += 1) {
      await frame(count < 5 ? STILL : AHEAD, ahead + count);
      await pause(20);
    }
    expect(movedSince(robot, stopped)).toBe(false);
  });

  it.each([
    ['that is no JSON', 'zero?'],
    ['without a member', '{"v":1,"fence":9007194959773695,"seq":1,"vx":0.2,"vy":0,"valid_ms":300}'],
    ['of infinite velocity', '{"v":1,"fence":9007194959773695,"seq":1,"vx":1e999,"vy":0,"wz":0,"valid_ms":300}'],
  ])('stands after a frame %s', async (_what, text) => {
    const { robot, caller, stick } = await startMoving(python);
    await caller.sayRaw('jog', text);
    await until('it brakes', () => (robot.speeds().at(-1)?.speed ?? 1) < 0.15);
    await stands(robot);
    expect(stick.refused).toEqual([]);
  });

  it('takes the base from a drive, whose mission is told as cancelled', async () => {
    const { robot, stick, link, missions } = await startDriving(python);
    const go = { command: 'go_to_relative', value: { x: 9, y: 0, z: 0, theta: 0 }, sender: SENDER };
    await link.send({ ...go, arrivedAt: arrivalStamp() }, options());
    await until('it has begun', () => missions.includes('started') && robot.moves());
    await link.jog?.()?.makeWay(AbortSignal.timeout(5_000));
    expect(missions).toEqual(['started', 'cancelled']);
    expect(link.state?.()?.moving).not.toBe(true);
    await link.send({ ...go, arrivedAt: arrivalStamp() }, options());
    await until('it moves', () => robot.moves());
    stick.velocity = { ...STILL, wz: 0.5 }; // the robot makes way by itself, too
    await untilState(link, (state) => (state.velocity?.angular ?? 0) > 20);
    expect(missions).toEqual(['started', 'cancelled', 'started', 'cancelled']);
  });

  it('is given up for a drive that comes later', async () => {
    const { robot, stick, link } = await startMoving(python);
    stick.drop();
    const go = { command: 'go_to_relative', value: { x: 0.5, y: 0, z: 0, theta: 0 }, sender: SENDER };
    const answer = await link.send({ ...go, arrivedAt: arrivalStamp() }, options());
    expect(answer).toMatchObject({ answer: { called: true } }); // in place of the jog
    await until('it has driven', () => Number((link.state?.()?.pose as { x: number } | undefined)?.x) > 0.4); // as: a base
    await stands(robot);
  });

  it('ends while the emergency stop is engaged', async () => {
    const file = joinPath(temporaryFolder(), 'engaged');
    const { robot, stick, link } = await startMoving(python, { environment: { ROBOT_ESTOP_FILE: file } });
    const seen: string[] = [];
    const emergencyStop = link.emergencyStop?.();
    emergencyStop?.onChange(() => seen.push(emergencyStop.state));
    expect(emergencyStop?.state).toBe('released');
    writeFileSync(file, '');
    await stands(robot);
    await until('it is told', () => seen.includes('engaged'));
    const go = { command: 'go_to_relative', value: { x: 1, y: 0, z: 0, theta: 0 }, sender: SENDER };
    const refused = await refusal(() => link.send({ ...go, arrivedAt: arrivalStamp() }, options()));
    expect(refused).toMatchObject({ members: { command_ran: 'no' } });
    expect(['stopped', 'estop_engaged']).toContain(refused.code);
    rmSync(file);
    const released = Date.now();
    await until('it is released', () => emergencyStop?.state === 'released');
    await pause(500);
    expect(movedSince(robot, released)).toBe(false);
    stick.velocity = STILL;
    await pause(200);
    stick.velocity = AHEAD;
    await until('it moves again', () => robot.moves());
  });
});

async function untilState(link: RobotLink, fits: (state: NonNullable<ReturnType<typeof stateOf>>) => boolean) {
  let seen = stateOf(link);
  await until('its state is so', () => {
    const state = stateOf(link);
    if (!state || !fits(state)) return false;
    seen = state;
    return true;
  });
  return seen;
}

function stateOf(link: RobotLink) {
  return link.state?.();
}
