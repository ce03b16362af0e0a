import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '../../../../functions/shared/errors.ts';
import { NO_METRICS } from '../../../../functions/shared/observability/metrics.port.ts';
import { controlled } from '../../../../functions/shared/robot-link/adapters/controlled.ts';
import type { CommandMessage } from '../../../../functions/shared/robot-link/adapters/mqtt/messages.ts';
import { Declined, type RobotLink, Unanswered } from '../../../../functions/shared/robot-link/port.ts';
import { runRelayed } from '../../../../local-host/relay/relayed-command.ts';
import { SeenIds } from '../../../../local-host/relay/seen-ids.ts';
import { refusal } from '../../../support/errors.ts';
import { ANNA, jogsOf, LeasedRobot } from '../../../support/leased-robot.ts';
import { countingMetrics } from '../../../support/metrics.ts';
import { countedRefusals } from '../../../support/refusals.ts';
import { fakeAudit } from '../../../support/relay.ts';
import { scriptedLink } from '../../../support/robot.ts';
import { testConfig } from '../../../support/world.ts';

const NOW = 1_800_000_000_000;

function relaying(answer: RobotLink['send'] = ({ value }) => value ?? null, draining = false) {
  const ran: Parameters<RobotLink['send']>[] = [];
  const robotLink = scriptedLink(
    (...call) => {
      ran.push(call);
      return answer(...call);
    },
    { bounds: { minimum: 0, maximum: 100 } },
  );
  const auditTrail = fakeAudit();
  const world = {
    config: testConfig(),
    clock: () => NOW,
    seen: new SeenIds(),
    lifecycle: { draining },
    metrics: NO_METRICS,
  };
  return { ran, parts: { ...world, robotLink, auditTrail } };
}

function message(rest: Partial<CommandMessage> = {}): CommandMessage {
  return {
    v: 1,
    id: 'message-0000000001',
    issued_at: NOW - 50,
    deadline: NOW + 10_000,
    command: 'a_int',
    value: 40,
    sender: { client_id: 'alice', access_level: 'USER', key_id: 'key-1' },
    ...rest,
  };
}

describe('A command received through the broker', () => {
  it('runs on behalf of its sender until its deadline, and is audited', async () => {
    const { ran, parts } = relaying();
    expect(await runRelayed(parts, message())).toMatchObject({ result: 40 });
    const [[command, options] = []] = ran;
    expect(command).toEqual({
      command: 'a_int',
      value: 40,
      sender: { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' },
      arrivedAt: expect.any(Number),
    });
    expect(options?.deadline).toBe(NOW + 10_000);
    expect(parts.auditTrail.kept).toEqual([
      expect.objectContaining({ listener: 'relay', client_id: 'alice', key_id: 'key-1', outcome: 'ok' }),
    ]);
  });

  it.each([
    ['sent, if the robot does not answer it', new Unanswered({ sent: true }), 'sent'],
    ['declined, if the robot declines it', new Declined(null, 'The motors are off.'), 'declined'],
    ['declined, if its result says so', { called: false, msg: 'Unknown skill' }, 'declined'],
  ])('is audited as %s', async (_what, answer, outcome) => {
    const { parts } = relaying(() => answer);
    await runRelayed(parts, message());
    expect(parts.auditTrail.kept).toMatchObject([{ outcome }]);
  });

  it('with a deadline more than ten minutes ahead is counted', async () => {
    const { parts } = relaying();
    const { refusals, counts } = countedRefusals();
    await runRelayed({ ...parts, refusals }, message({ id: 'message-0000000002', deadline: NOW + 600_000 - 50 }));
    expect(counts).toEqual({});
    await runRelayed({ ...parts, refusals }, message({ deadline: NOW + 1e9 }));
    expect(counts).toEqual({ deadlines: 1 });
  });

  it('runs once however often it is delivered', async () => {
    const { ran, parts } = relaying();
    expect(await runRelayed(parts, message())).toMatchObject({ result: 40 });
    expect(await runRelayed(parts, message())).toBeUndefined();
    expect(await runRelayed(parts, message({ value: 41 }))).toBeUndefined();
    expect(ran).toHaveLength(1);
  });

  it.each<[string, Partial<CommandMessage>, string]>([
    ['whose deadline has passed', { issued_at: NOW - 10_000, deadline: NOW }, 'robot_timeout'],
    ['from a clock 3 s ahead, since it might be late by so much', { issued_at: NOW + 3_000 }, 'robot_unavailable'],
    ['that is not known here', { command: 'fly' }, 'unknown_command'],
    ['of another kind', { value: 'loud' }, 'wrong_value_type'],
    ['without its value', { value: undefined }, 'wrong_value_type'],
    ['with a value where none belongs', { command: 'a_none' }, 'wrong_value_type'],
    ['out of bounds', { value: 101 }, 'validation_failed'],
    ['with a number too long to be exact', { command: 'a_list', value: [2 ** 60] }, 'validation_failed'],
  ])('does not run when it is %s', async (_what, rest, code) => {
    const { ran, parts } = relaying();
    expect(await refusal(() => runRelayed(parts, message(rest)))).toMatchObject({
      code,
      members: { command_ran: 'no' },
    });
    expect(ran).toEqual([]);
  });

  it('is counted when its clock or fence number keeps it from running', async () => {
    const { metrics, calls } = countingMetrics();
    const { parts } = relaying();
    parts.robotLink.fence.raise();
    const counting = { ...parts, metrics };
    await refusal(() => runRelayed(counting, message({ issued_at: NOW + 3_000 })));
    await refusal(() => runRelayed(counting, message({ deadline: NOW })));
    await refusal(() => runRelayed(counting, message({ fence: 0 })));
    await refusal(() => runRelayed(counting, message({ command: 'fly' })));
    expect([calls('clockRefusal'), calls('motionRefusal')]).toEqual([[['from_the_future'], ['late']], [['stopped']]]);
  });

  it('does not move a robot that somebody at the robot holds the lease of', async () => {
    const { ran, parts } = relaying();
    const leased = new LeasedRobot();
    const leases = leased.open();
    const robotLink = controlled(parts.robotLink, leases, jogsOf(leases, leased.fence));
    leases.acquire(ANNA);
    expect(await refusal(() => runRelayed({ ...parts, robotLink }, message()))).toMatchObject({
      code: 'lease_held',
      members: { command_ran: 'no' },
    });
    expect(ran).toEqual([]);
  });

  it('is remembered only as long as it may start', async () => {
    const { parts } = relaying();
    let now = NOW;
    const clocked = { ...parts, clock: () => now, seen: new SeenIds(1) };
    const far = message({ deadline: NOW + 10 ** 12 });
    expect(await runRelayed(clocked, far)).toMatchObject({ result: 40 });
    now += 601_000;
    expect(await refusal(() => runRelayed(clocked, { ...far, id: 'message-0000000002' }))).toMatchObject({
      code: 'robot_timeout',
    });
    now += 10_000;
    expect(clocked.seen.take('message-0000000003', now, now)).toBe('new');
  });

  it('runs when the clocks differ by less than 2 s', async () => {
    const { parts } = relaying();
    expect(await runRelayed(parts, message({ issued_at: NOW + 1_900 }))).toMatchObject({ result: 40 });
    expect(await runRelayed(parts, message({ id: 'message-0000000002', issued_at: NOW - 1_900 }))).toMatchObject({
      result: 40,
    });
  });

  it('does not run when no more ids can be remembered', async () => {
    const { ran, parts } = relaying();
    for (let n = 0; parts.seen.take(`id-${n}`, NOW + 60_000, NOW) === 'new'; n += 1);
    expect(await refusal(() => runRelayed(parts, message()))).toMatchObject({
      code: 'robot_unavailable',
      members: { command_ran: 'no' },
    });
    expect(ran).toEqual([]);
  });

  it('does not run while the service shuts down', async () => {
    const { ran, parts } = relaying(undefined, true);
    expect(await refusal(() => runRelayed(parts, message()))).toMatchObject({ code: 'robot_unavailable' });
    expect(ran).toEqual([]);
  });

  it.each<[string, () => never, string, string]>([
    ['says no', () => raise(new ServiceError('robot_error', { detail: 'no' })), 'robot_error', 'maybe'],
    ['breaks', () => raise(new Error('secret path /etc')), 'robot_error', 'maybe'],
    ['is not reached', () => raise(new ServiceError('robot_unavailable', { detail: 'x' })), 'robot_unavailable', 'no'],
  ])('reports whether it ran when the robot %s', async (_what, answer, code, ran) => {
    const { parts } = relaying(answer);
    const failure = await refusal(() => runRelayed(parts, message()));
    expect(failure).toMatchObject({ code, members: { command_ran: ran } });
    expect(failure.message).not.toContain('secret');
    expect(parts.auditTrail.kept).toEqual([expect.objectContaining({ outcome: code })]);
  });
});

function raise(error: Error): never {
  throw error;
}
