import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AccessError,
  Declined,
  type Jog,
  LeaseHeld,
  LeaseLost,
  type Robot,
  type RobotRestError,
  Stopped,
  ValidationFailed,
} from '../../clients/typescript/src/index.ts';
import { until } from '../support/processes.ts';
import { ClientWorld, TRANSPORTS } from '../support/typescript-client.ts';

interface Pose {
  readonly x: number;
  readonly moving: boolean;
}

async function pose(robot: Robot): Promise<Pose> {
  return (await robot.command('get_pose')).result as Pose; // as: the simulated robot's answer
}

/** undefined for a refusal because of a stop. */
function unlessStopped(error: unknown): undefined {
  if (!(error instanceof Stopped)) throw error;
}

describe.each(TRANSPORTS)('The TypeScript client over %s', (_transport, WebSocket) => {
  const world = new ClientWorld();
  let robot: Robot;
  let other: Robot;
  beforeAll(async () => {
    await world.start();
    robot = await world.connect('admin', { WebSocket });
    other = await world.connect('other', { WebSocket });
  });
  afterAll(() => world.stop());

  it('sends commands, and turns refusals into errors by their codes', async () => {
    expect(robot.accessLevel).toBe('ADMIN');
    expect((await robot.commands()).map(({ name }) => name)).toContain('go_to_relative');
    expect(await robot.command('sound_level', 40)).toMatchObject({ ok: true, replaced: false });
    const invalid: RobotRestError = await robot.command('sound_level', 'loud').catch((error) => error);
    expect(invalid).toBeInstanceOf(ValidationFailed);
    expect(invalid).toMatchObject({ status: 422, errors: [{ pointer: '/value' }] });
    await expect(robot.command('sound_level', Number.NaN)).rejects.toThrow('value is not finite');
    await expect(robot.skill('no_such_skill')).rejects.toBeInstanceOf(Declined);
    await expect(robot.command('../stop')).rejects.toMatchObject({ code: 'unknown_command' });
    const user = await world.connect('user', { WebSocket });
    await expect(user.skills.list()).rejects.toBeInstanceOf(AccessError);
  });

  it('tells a finished mission from one that it cancelled, and from one that somebody stopped', async () => {
    const finished = await robot.skill('wait', { seconds: 0.05 });
    await finished.started();
    expect(await finished.completed()).toMatchObject({ ok: true });
    const cancelled = await robot.skill('wait', { seconds: 60 });
    const end = cancelled.completed().catch((error) => error);
    expect(await cancelled.cancel()).toBe(true);
    expect(await end).toBeInstanceOf(Declined);
    const stopped = await robot.skill('wait', { seconds: 60 });
    const stop = stopped.completed().catch((error) => error);
    await stopped.started();
    expect(await other.stop()).toMatchObject({ stopped: true, by: 'service' });
    expect(await stop).toBeInstanceOf(Stopped);
    // A stop that took long may have been sent again, and refuses what comes before it is over.
    const last = await until('the stop is over', () => robot.skill('wait', { seconds: 60 }).catch(unlessStopped));
    await expect(last.completed(AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' });
    await robot.stop();
  });

  it('keeps rows and skill files', async () => {
    const places = robot.table('known_locations_table');
    await places.add({ id: 'garden', color: '#2196f3' });
    expect(await places.update('garden', 'color', '#9c27b0')).toMatchObject({ id: 'garden', color: '#9c27b0' });
    expect(await places.get('garden')).toMatchObject({ color: '#9c27b0' });
    expect(await places.rows({ limit: 1 })).toHaveLength(1);
    await places.delete('garden');
    await expect(places.get('garden')).rejects.toMatchObject({ status: 404, code: 'row_not_found' });
    const source = 'from robot_rest import skill\n\n@skill(description="ä")\nasync def hop(robot):\n    pass\n';
    expect(await robot.skills.upload('hop.py', source)).toMatchObject({ name: 'hop.py', enabled: true });
    expect(await robot.skills.download('hop')).toBe(source);
    expect(await robot.skills.disable('hop')).toMatchObject({ enabled: false });
    expect(await robot.skills.rename('hop', 'jump')).toMatchObject({ name: 'jump.py' });
    expect((await robot.skills.list()).map(({ name }) => name)).toContain('jump.py');
    await robot.skills.remove('jump');
  });

  it('holds the lease until it returns it, and tells when it was taken', async () => {
    const lease = await robot.lease({ ttlMs: 3000 });
    const refused = await other.lease().catch((error) => error);
    expect(refused).toBeInstanceOf(LeaseHeld);
    expect(refused.holder).toMatchObject({ key_name: 'admin' });
    await expect(other.command('go_to_relative', { x: 1 })).rejects.toBeInstanceOf(LeaseHeld);
    const drive = robot.mission(await robot.command('go_to_relative', { x: 5 }));
    const taken = await other.lease({ take: { reason: 'a test' } });
    await until('it is told', () => lease.lost.aborted);
    await expect(robot.command('go_to_relative', { x: 1 })).rejects.toBeInstanceOf(LeaseLost);
    await expect(drive.completed()).rejects.toBeInstanceOf(LeaseLost);
    await lease.release();
    await taken.release();
    expect(await robot.call('get', '/api/v2/lease/')).toMatchObject({ state: 'free' });
  });

  it('keeps a lease for longer than it lasts, and has it lapse after an error', async () => {
    const holding = robot.withLease({ ttlMs: 4000 }, async (lease) => {
      const { generation, holder } = await robot.call('get', '/api/v2/lease/');
      const firstEnd = Date.parse(holder?.expires_at ?? '');
      await until('its first time is over', () => Date.now() > firstEnd);
      expect(await robot.call('get', '/api/v2/lease/')).toMatchObject({ state: 'fresh', generation });
      expect(lease.lost.aborted).toBe(false);
      throw new Error('broken');
    });
    await expect(holding).rejects.toThrow('broken');
    await until('it has lapsed', async () => (await robot.call('get', '/api/v2/lease/')).state !== 'fresh');
  });

  describe('with a jog', () => {
    const refusals: RobotRestError[] = [];
    let jog: Jog;

    it('drives as long as it holds the stick, and stands still at its end', async () => {
      await robot.withLease({ ttlMs: 5000 }, async (lease) => {
        jog = await lease.jog({ deadlineMs: 1000 });
        const { x } = await pose(robot);
        jog.setVelocity({ vx: 0.2 });
        await until('it drives', async () => (await pose(robot)).x > x + 0.05);
        await jog.end();
        await until('it stands', async () => !(await pose(robot)).moving);
        expect(() => jog.setVelocity({ vx: 0.1 })).toThrow('This jog has ended');
      });
    });

    it('is latched by a stop until the stick was let go', async () => {
      await robot.withLease({ ttlMs: 5000 }, async (lease) => {
        jog = await lease.jog({ deadlineMs: 1000, onRefused: (error) => refusals.push(error) });
        jog.setVelocity({ vx: 0.2 });
        await until('it drives', async () => (await pose(robot)).moving);
        await other.stop();
        await until('it is told', () => refusals.length > 0);
        expect(refusals[0]).toBeInstanceOf(Stopped);
        expect(() => jog.setVelocity({ vx: 0.2 })).toThrow(Stopped);
        expect((await pose(robot)).moving).toBe(false);
        jog.setVelocity({});
        await until('it drives again', async () => {
          try {
            jog.setVelocity({ vx: 0.2 });
          } catch {
            jog.setVelocity({}); // the zero frame was not answered yet
          }
          return (await pose(robot)).moving;
        });
        expect(() => jog.setVelocity({ vx: Number.NaN })).toThrow(RangeError);
        await jog.end();
      });
    });

    it('ends with the lease', async () => {
      const lease = await robot.lease({ ttlMs: 5000 });
      jog = await lease.jog({ deadlineMs: 1000, onRefused: (error) => refusals.push(error) });
      jog.setVelocity({ vx: 0.2 });
      const taken = await other.lease({ take: { reason: 'a test' } });
      await until('it is told', () => refusals.at(-1) instanceof LeaseLost);
      expect(() => jog.setVelocity({})).toThrow(LeaseLost);
      await lease.release();
      await taken.release();
      expect((await pose(robot)).moving).toBe(false);
    });
  });
});
