import { afterEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { AuthError, type Robot, type RobotEvent, Unavailable } from '../../clients/typescript/src/index.ts';
import { until } from '../support/processes.ts';
import { ClientWorld, collect, TRANSPORTS } from '../support/typescript-client.ts';

const PATIENCE_MS = 60_000;

/** Runs a mission to its end. @returns its id. */
async function runMission(robot: Robot): Promise<string> {
  const mission = await robot.skill('wait', { seconds: 0.05 });
  await mission.completed();
  return mission.id;
}

/** What was told of missions, and gaps. */
function story(events: readonly RobotEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.kind === 'event') return event.topic === 'missions' ? [`${event.type} ${event.subject}`] : [];
    return event.kind === 'interrupted' ? [] : [event.kind];
  });
}

describe.each(TRANSPORTS)('Events of the TypeScript client over %s', (_transport, WebSocket) => {
  let world: ClientWorld;
  afterEach(() => world.stop());

  it('come after a snapshot, go on behind the last one, and end with the signal', async () => {
    world = await new ClientWorld().start();
    const robot = await world.connect('admin', { WebSocket });
    const first = collect(robot, ['missions']);
    await until('it listens', () => first.events.length > 0);
    const missions = [await runMission(robot), await runMission(robot)];
    const told = missions.flatMap((id) => [`robot.missions.started ${id}`, `robot.missions.finished ${id}`]);
    await until('it is told', () => story(first.events).length === 5);
    expect(story(first.events)).toEqual(['snapshot', ...told]);
    const [, seen] = first.events;
    const after = seen?.kind === 'event' ? seen.id : undefined;
    const abort = new AbortController();
    const later: RobotEvent[] = [];
    for await (const event of robot.events(['missions'], { after, signal: abort.signal })) {
      later.push(event);
      if (later.length === 3) abort.abort();
    }
    expect(story(later)).toEqual(told.slice(1));
    for await (const event of robot.events(['lease'])) {
      expect(event).toMatchObject({ kind: 'snapshot', topic: 'lease' });
      break;
    }
    robot.close();
    await first.ended;
    expect(() => robot.events([])).toThrow(TypeError);
  });

  it('go on after restarts of the service, none lost or twice, or with a gap', async () => {
    world = await new ClientWorld().start();
    const listener = await world.connect('admin', { WebSocket });
    const { events, ended } = collect(listener, ['missions']);
    const expected = ['snapshot'];
    for (let restarts = 0; restarts < 2; restarts += 1) {
      await until('it listens', () => story(events).length === expected.length, PATIENCE_MS);
      const id = await runMission(await world.connect('other', { WebSocket }));
      expected.push(`robot.missions.started ${id}`, `robot.missions.finished ${id}`);
      await until('it is told', () => story(events).length === expected.length, PATIENCE_MS);
      await world.service.stop();
      await until('it notices', () => events.at(-1)?.kind === 'interrupted', PATIENCE_MS);
      await world.start();
      expected.push('gap', 'snapshot');
    }
    await until('it is back', () => story(events).length === expected.length, PATIENCE_MS);
    expect(story(events)).toEqual(expected);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'gap', topics: ['missions'], from: null }));
    listener.close();
    await ended;
  });

  it('end with an error once the key is revoked, as do requests and the lease', async () => {
    world = await new ClientWorld().start();
    const signedOut: Error[] = [];
    const robot = await world.connect('user', { WebSocket, onSignedOut: (error) => signedOut.push(error) });
    const { events, ended } = collect(robot, ['missions']);
    await until('it listens', () => events.length > 0);
    const lease = await robot.lease({ ttlMs: 4000 });
    world.keys.records = [];
    await expect(ended).rejects.toBeInstanceOf(AuthError);
    await expect(robot.commands()).rejects.toMatchObject({ status: 401, code: 'api_key_invalid' });
    await until('the lease is lost', () => lease.lost.aborted);
    expect(signedOut[0]).toBeInstanceOf(AuthError);
  });

  it('are refused for topics above the access level, and without a service', async () => {
    world = await new ClientWorld().start();
    const robot = await world.connect('user', { WebSocket });
    await expect(collect(robot, ['audit']).ended).rejects.toMatchObject({ code: 'insufficient_access' });
    await world.service.stop();
    await expect(collect(robot, ['missions']).ended).rejects.toBeInstanceOf(Unavailable);
    await world.start();
  });
});

describe('A jog of the TypeScript client', () => {
  it('is over when the service restarts, and sends nothing to the new one', async () => {
    const world = await new ClientWorld().start();
    try {
      const robot = await world.connect('admin', { WebSocket });
      const refused: Error[] = [];
      const lease = await robot.lease({ ttlMs: 5000 });
      const jog = await lease.jog({ deadlineMs: 1000, onRefused: (error) => refused.push(error) });
      jog.setVelocity({ vx: 0.2 });
      await world.service.stop();
      await until('it is told', () => refused.length > 0);
      await world.start();
      expect(() => jog.setVelocity({ vx: 0.2 })).toThrow();
      await lease.release().catch(() => undefined); // the new service knows no such lease
      const watcher = await world.connect('other');
      expect((await watcher.command('get_pose')).result).toMatchObject({ moving: false });
      expect(await watcher.call('get', '/api/v2/lease/')).toMatchObject({ state: 'free' });
    } finally {
      await world.stop();
    }
  });
});
