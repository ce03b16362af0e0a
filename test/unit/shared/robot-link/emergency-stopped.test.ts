import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { arrivalStamp, Fence } from '../../../../functions/shared/control/fence.ts';
import { ServiceError } from '../../../../functions/shared/errors.ts';
import { NO_EVENTS } from '../../../../functions/shared/events/events.port.ts';
import { emergencyStopped } from '../../../../functions/shared/robot-link/adapters/emergency-stopped.ts';
import type { EmergencyStop, Jog, RobotCommand, RobotLink } from '../../../../functions/shared/robot-link/port.ts';
import { SimulatedEmergencyStop } from '../../../../functions/shared/robot-link/simulated-home.ts';
import { useFakeTimers } from '../../../support/fake-timers.ts';
import { scriptedLink } from '../../../support/robot.ts';
import { silentLogger } from '../../../support/world.ts';

const SENDER = { clientId: 'anna', accessLevel: 'USER', keyId: 'key' } as const;
const OPTIONS = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
const ENGAGED = { state: 'engaged', source: '/estop', onChange: () => undefined } as const;
const motion = (): RobotCommand => ({ command: 'go', sender: SENDER, arrivedAt: arrivalStamp() });

describe('A robot with an emergency stop', () => {
  const fence = new Fence();
  let button: SimulatedEmergencyStop;
  let reported: EmergencyStop | undefined;
  let confirms: boolean;
  let stops: number;
  let link: RobotLink;
  const pass = useFakeTimers();

  beforeEach(() => {
    button = new SimulatedEmergencyStop();
    reported = button;
    [confirms, stops] = [true, 0];
    link = emergencyStopped(
      {
        ...scriptedLink(() => 'moved'),
        fence,
        emergencyStop: () => reported,
        async stop() {
          fence.raise();
          stops += 1;
          if (!confirms) throw new ServiceError('robot_timeout', { detail: 'No answer.' });
          return { stopped: true };
        },
      },
      { events: NO_EVENTS, logger: silentLogger, clock: Date.now },
    );
  });
  afterEach(async () => {
    await link.close();
  });

  it('is stopped at once when it is engaged, and the fence is raised', () => {
    const number = fence.read();
    button.press();
    expect([stops, fence.read()]).toEqual([1, number + 1]);
  });

  it('is not moved after the release until it has confirmed that stop, whoever asked for it', async () => {
    confirms = false;
    button.press();
    await pass(3_000);
    expect(stops).toBeGreaterThan(2);
    button.release();
    expect(() => link.send(motion(), OPTIONS)).toThrow(expect.objectContaining({ code: 'busy' }));
    confirms = true;
    await link.stop(OPTIONS);
    expect(link.send(motion(), OPTIONS)).toBe('moved');
    await pass(3_000);
    const before = stops;
    await pass(10_000);
    expect(stops).toBe(before);
  });

  it('is followed when it reports one only later, and when a report is missed', async () => {
    reported = undefined;
    await pass(1_000);
    expect(link.send(motion(), OPTIONS)).toBe('moved');
    reported = ENGAGED;
    await pass(500);
    expect(stops).toBe(1);
    expect(() => link.send(motion(), OPTIONS)).toThrow(expect.objectContaining({ code: 'estop_engaged' }));
    expect(link.send({ command: 'ask', sender: SENDER }, OPTIONS)).toBe('moved');
  });

  it('says that its link is down rather than that its emergency stop is not known', async () => {
    const down = new ServiceError('robot_unavailable', { detail: 'The link is down.' });
    const jog: Jog = {
      watchdogMs: 300,
      maxLinear: undefined,
      maxAngular: undefined,
      send() {
        throw down;
      },
      makeWay: () => undefined,
    };
    const lost = emergencyStopped(
      { ...link, connected: () => false, emergencyStop: () => ENGAGED, jog: () => jog },
      { events: NO_EVENTS, logger: silentLogger, clock: Date.now },
    );
    const frame = { velocity: { vx: 0.1, vy: 0, wz: 0 }, seq: 1, validMs: 300, arrivedAt: arrivalStamp() };
    expect(() => lost.jog?.()?.send(frame)).toThrow(down);
    await lost.close();
  });
});
