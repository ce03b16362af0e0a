import { describe, expect, it } from '@jest/globals';
import { arrivalStamp } from '../../../../functions/shared/control/fence.ts';
import type { Message } from '../../../../functions/shared/robot-link/adapters/broker/message.ts';
import type { Jog, JogFrame } from '../../../../functions/shared/robot-link/port.ts';
import { refusal } from '../../../support/errors.ts';
import { countingMetrics } from '../../../support/metrics.ts';
import { remoteRobot } from '../../../support/remote-robot.ts';

const JOG = { watchdog_ms: 300, max_linear: 0.4, max_angular: 1.2 };
const CANCEL = { name: 'cancel_skill', kind: 'str', title: 'Cancel', effect: 'action', motion: false };
const ONLINE = { v: 1, online: true, session: 's', catalogue: [CANCEL], features: ['fence'], fence: 7, jog: JOG };
const STILL = { vx: 0, vy: 0, wz: 0 };
const AHEAD = { vx: 0.2, vy: 0, wz: 0 };

/** A robot that can be driven by hand, behind a broker that writes down what is published. */
function jogged() {
  const published: Array<{ readonly topic: string; readonly said: Record<string, unknown> }> = [];
  const broker = {
    up: true,
    problem: undefined as string | undefined,
    backlog: 0,
    pings: { waitMs: 0, any: false },
    pinged: 0,
    ping: () => {
      broker.pinged += 1;
    },
    publish: (topic: string, text: string, { expirySeconds }: { expirySeconds: number }) => {
      if (broker.problem !== undefined) throw new Error(broker.problem);
      published.push({ topic, said: { ...JSON.parse(text), expirySeconds } });
    },
  };
  const robot = remoteRobot(broker, { metrics: countingMetrics().metrics });
  const messageOf = (text: object, correlation?: string): Message => ({
    topic: '',
    payload: Buffer.from(JSON.stringify(text)),
    correlation: correlation === undefined ? undefined : Buffer.from(correlation),
    responseTopic: undefined,
    expirySeconds: undefined,
  });
  const hear = (presence: object) => robot.handlePresence(messageOf({ ...ONLINE, ...presence }));
  const report = (branch: 'state' | 'events', said: object) => robot.reports.take(branch, messageOf({ v: 1, ...said }));
  const answer = (said: object) => {
    const id = String(published.at(-1)?.said.id);
    robot.handleAnswer(messageOf({ v: 1, id, ok: true, ...said }, id));
  };
  hear({});
  const jog = robot.jog() as Jog; // as: it offers one
  const drive = (velocity = AHEAD, more: Partial<JogFrame> = {}) =>
    jog.send({ velocity, seq: 1, validMs: 250, arrivedAt: arrivalStamp(), ...more });
  const frames = () => published.filter(({ topic }) => topic === 'robots/robot-1/jog').map(({ said }) => said);
  return { robot, jog, broker, drive, frames, published, hear, report, answer };
}

describe('A robot behind a broker that is driven by hand', () => {
  it('offers what its presence says', () => {
    const { jog } = jogged();
    expect(jog).toMatchObject({ watchdogMs: 300, maxLinear: 0.4, maxAngular: 1.2 });
  });

  it.each([
    ['without a watchdog', undefined],
    ['with a watchdog that is too slow', { watchdog_ms: 501 }],
    ['with a watchdog that is no number', { watchdog_ms: 'fast' }],
  ])('cannot be %s', (_how, offer) => {
    const { robot, hear } = jogged();
    hear({ jog: offer });
    expect(robot.jog()).toBeUndefined();
    expect(robot.notes().some((note) => note.includes('watchdog'))).toBe(offer?.watchdog_ms === 501);
  });

  it('is sent each frame once, with the number of its fence, after a frame of zero velocity', () => {
    const { drive, frames } = jogged();
    drive();
    drive({ vx: 0.1, vy: -0.1, wz: 0.5 });
    const common = { v: 1, fence: 7, valid_ms: 250, expirySeconds: 1 };
    expect(frames()).toEqual([
      { ...common, ...STILL, seq: expect.any(Number) },
      { ...common, ...AHEAD, seq: Number(frames()[0]?.seq) + 1 },
      { ...common, vx: 0.1, vy: -0.1, wz: 0.5, seq: Number(frames()[0]?.seq) + 2 },
    ]);
    expect(frames()[0]?.seq).toBeGreaterThan(1_700_000_000_000); // above those of an earlier run
  });

  it('is not sent a frame that arrived before a stop, and zero all the same', () => {
    const { robot, drive, frames } = jogged();
    const early = arrivalStamp();
    robot.fence.raise();
    expect(() => drive(AHEAD, { arrivedAt: early })).toThrow(expect.objectContaining({ code: 'stopped' }));
    drive(STILL, { arrivedAt: early });
    expect(frames()).toMatchObject([STILL]);
  });

  it.each<[what: string, trouble: (parts: ReturnType<typeof jogged>) => void, code: string]>([
    [
      'while the broker does not answer',
      ({ broker }) => {
        broker.pings = { waitMs: 301, any: true };
      },
      'robot_unavailable',
    ],
    [
      'while bytes wait to leave',
      ({ broker }) => {
        broker.backlog = 5_000;
      },
      'robot_unavailable',
    ],
    ['while it is offline', ({ hear }) => hear({ online: false }), 'robot_unavailable'],
    ['while somebody else drives it', ({ report }) => report('state', { driver: 'a joystick' }), 'driven_elsewhere'],
  ])('is sent no velocity %s, and zero all the same', (_what, trouble, code) => {
    const parts = jogged();
    trouble(parts);
    expect(() => parts.drive()).toThrow(expect.objectContaining({ code, members: { command_ran: 'no' } }));
    parts.drive(STILL);
    expect(parts.frames()).toMatchObject([STILL]);
  });

  it('is sent nothing without a connection, and nothing later', () => {
    const { broker, drive, frames } = jogged();
    broker.problem = 'The connection to the MQTT broker is down.';
    for (const velocity of [AHEAD, STILL]) {
      expect(() => drive(velocity)).toThrow(expect.objectContaining({ code: 'robot_unavailable' }));
    }
    broker.problem = undefined;
    expect(frames()).toEqual([]);
  });

  it('has its broker pinged, once at a time', () => {
    const { broker, drive } = jogged();
    for (let count = 0; count < 5; count += 1) drive();
    expect(broker.pinged).toBe(1);
  });
});

describe('The way for driving a robot by hand', () => {
  const begin = { seq: 1, event: 'mission_started', mission: 'm1' };
  const signal = () => new AbortController().signal;

  it('is clear when nothing moves the robot', () => {
    expect(jogged().jog.makeWay(signal())).toBeUndefined();
  });

  it('is clear when the mission under way was cancelled and has ended', async () => {
    const { jog, report, published, answer } = jogged();
    report('events', begin);
    let clear = false;
    const way = jog.makeWay(signal())?.then(() => {
      clear = true;
    });
    await new Promise(setImmediate);
    expect(published).toMatchObject([{ said: { command: 'cancel_skill', value: 'm1' } }]);
    answer({ result: { cancelled: true } });
    await new Promise(setImmediate);
    expect(clear).toBe(false);
    report('events', { ...begin, seq: 2, event: 'mission_cancelled' });
    await way;
    expect(clear).toBe(true);
  });

  it('is clear when the robot no longer knows the mission', async () => {
    const { jog, report, answer } = jogged();
    report('events', begin);
    const way = jog.makeWay(signal());
    await new Promise(setImmediate);
    answer({ result: { cancelled: false, msg: 'Mission not found' } });
    await way;
    expect(jog.makeWay(signal())).toBeUndefined();
  });

  it('is awaited for 2 s while the robot says that it moves', async () => {
    const { jog, report } = jogged();
    const moving = setInterval(() => report('state', { moving: true }), 500);
    report('state', { moving: true });
    expect(await refusal(() => jog.makeWay(signal()) as Promise<void>)).toMatchObject({
      code: 'busy',
      members: { command_ran: 'no' },
    });
    const given = new AbortController();
    const way = jog.makeWay(given.signal);
    given.abort(new Error('let go'));
    await expect(way).rejects.toThrow('let go');
    clearInterval(moving);
    const last = jog.makeWay(signal());
    report('state', { moving: false });
    await last;
  });
});
