import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Config } from '../../../../functions/shared/config.ts';
import { guardedRobot } from '../../../../local-host/guard/guarded-robot.ts';
import { HostChannel } from '../../../../local-host/guard/host-channel.ts';
import { Channel, type ToGuard, type ToHost } from '../../../../local-host/guard/messages.ts';
import { until } from '../../../support/processes.ts';
import { temporaryFolder, testConfig } from '../../../support/world.ts';

describe('The private socket of the guard', () => {
  const closing: Array<() => void> = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  async function guardOf(robot: string) {
    const path = join(temporaryFolder(), 'guard.sock');
    const happened: string[] = [];
    const note = (what: string) => () => void happened.push(what);
    const listener = { connected: note('connected'), gone: note('gone'), takenOver: note('taken over') };
    const more = { identity: note('identity'), holds: note('holds'), heard: note('heard'), outdated: note('outdated') };
    const guard = new HostChannel(path, robot, { ...listener, ...more });
    await guard.open(undefined);
    closing.push(() => guard.close());
    return { path, happened };
  }

  async function greet(path: string, robot: string): Promise<ToHost[]> {
    const socket = connect(path);
    closing.push(() => socket.destroy());
    await once(socket, 'connect');
    const answers: ToHost[] = [];
    const channel = new Channel<ToGuard, ToHost>(socket, (message) => answers.push(message));
    channel.send({ type: 'hello', pid: 1, robot });
    return answers;
  }

  it('welcomes one service, with the same robot', async () => {
    const { path, happened } = await guardOf('a');
    const first = await greet(path, 'a');
    await until('it is welcome', () => first.length > 0);
    expect(first[0]).toEqual({ type: 'sign' });
    const second = await greet(path, 'a');
    await until('it is refused', () => second.length > 0);
    expect(second).toEqual([{ type: 'in_use' }]);
    expect(happened).toEqual(['connected']);
  });

  it('makes way for one with settings for the robot that a service with others brings', async () => {
    const { path, happened } = await guardOf('a');
    const answers = await greet(path, 'b');
    await until('it is told', () => happened.length > 0);
    expect(happened).toEqual(['outdated']);
    expect(answers).toEqual([]);
  });

  it('tells robots apart by address, id and mapping, and shows no password', () => {
    const mapping = join(temporaryFolder(), 'mapping.yaml');
    const of = (changes: Partial<Config>) =>
      guardedRobot({ ...testConfig(), SERVICE_ROBOT_MAPPING_PATH: mapping, SERVICE_ROBOT_URL: 'ws://a', ...changes });
    const first = of({});
    expect(of({})).toBe(first);
    const others = [of({ SERVICE_ROBOT_URL: 'mqtt://user:secret@a' }), of({ SERVICE_ROBOT_ID: 'other' })];
    writeFileSync(mapping, 'ros: 2');
    others.push(of({}));
    expect(new Set([first, ...others]).size).toBe(4);
    expect(others.join()).not.toContain('secret');
  });
});
