import { describe, expect, it, jest } from '@jest/globals';
import { useFakeTimers } from '../../../support/fake-timers.ts';
import { reportingRobot } from '../../../support/reporting-robot.ts';

useFakeTimers(1_800_000_000_000);

describe('The state of a robot behind a broker', () => {
  it('has the members that the robot told, and no others', () => {
    const { reports, say } = reportingRobot();
    expect(reports.state).toBeUndefined();
    say('state', { v: 1, battery: { level: 80 }, moving: false, estop: 'released', secret: 1 });
    expect(reports.state).toEqual({ battery: { level: 80 }, moving: false });
  });

  it.each([
    ['the base', { x: 1, y: 2, z: 0, theta: 90 }],
    ['named frames', { head: { x: 0, y: 0, z: 0.1, roll: 0, pitch: -10, yaw: 30 } }],
  ])('has the pose of %s', (_of, pose) => {
    const { reports, say } = reportingRobot();
    say('state', { v: 1, pose });
    expect(reports.state).toEqual({ pose });
  });

  it.each<[what: string, member: string, value: unknown]>([
    ['a battery above 100 %', 'battery', { level: 101 }],
    ['a pose of texts', 'pose', { x: '1', y: 0, z: 0, theta: 0 }],
    ['a pose that is not complete', 'pose', { x: 1, y: 0 }],
    ['an unknown power', 'power', 'half'],
    ['an unknown emergency stop', 'estop', 'pressed'],
    ['a driver that is no text', 'driver', 7],
  ])('leaves out %s, and says so', (_what, member, value) => {
    const { reports, say } = reportingRobot();
    say('state', { v: 1, moving: true, [member]: value });
    expect(reports.state).toEqual({ moving: true });
    expect(reports.faults).toEqual([expect.stringContaining(`/${member}`)]);
  });

  it.each([
    ['nothing', ''],
    ['a list', '[]'],
    ['a message without a version', '{"moving":true}'],
    ['a message of another version', '{"v":2,"moving":true}'],
    ['half a message', '{"v":1'],
    ['depth', '['.repeat(10_000)],
  ])('stays unknown after %s', (_what, text) => {
    const { reports, say, counts } = reportingRobot();
    say('state', text);
    expect(reports.state).toBeUndefined();
    expect(counts).toEqual({ robot_reports: 1 });
  });

  it('is unknown when the last one is older than 2 s', () => {
    const { reports, say } = reportingRobot();
    say('state', { v: 1, moving: true });
    say('joints', { v: 1, names: ['neck'], positions: [0.5] });
    jest.advanceTimersByTime(2_000);
    expect([reports.state, reports.joints]).toEqual([{ moving: true }, { names: ['neck'], positions: [0.5] }]);
    jest.advanceTimersByTime(1);
    expect([reports.state, reports.joints]).toEqual([undefined, undefined]);
  });

  it('is forgotten when the robot goes', () => {
    const { reports, say } = reportingRobot();
    say('state', { v: 1, moving: true });
    say('joints', { v: 1, names: ['neck'], positions: [0.5] });
    reports.forget();
    expect([reports.state, reports.joints]).toEqual([undefined, undefined]);
  });

  it('has texts of at most 300 characters', () => {
    const { reports, say } = reportingRobot();
    const long = 'x'.repeat(1_000);
    say('state', { v: 1, driver: long, pose: { [long]: { x: 0, y: 0, z: 0, roll: 0, pitch: 0, yaw: 0 } } });
    say('joints', { v: 1, names: [long], positions: [0] });
    expect(reports.state?.driver).toHaveLength(300);
    expect(Object.keys(reports.state?.pose ?? {})[0]).toHaveLength(300);
    expect(reports.joints?.names[0]).toHaveLength(300);
  });

  it('is read 20 times a second at most, and the latest counts', () => {
    const { reports, say } = reportingRobot();
    for (let x = 0; x < 100; x += 1) say('state', { v: 1, pose: { x, y: 0, z: 0, theta: 0 } });
    expect(reports.state?.pose).toMatchObject({ x: 1 });
    jest.advanceTimersByTime(51);
    expect(reports.state?.pose).toMatchObject({ x: 99 });
  });
});

describe('Joints of a robot behind a broker', () => {
  it.each<[what: string, joints: object]>([
    ['without a position for each name', { names: ['a', 'b'], positions: [1] }],
    ['with a position that is no number', { names: ['a'], positions: ['1'] }],
    ['that are too many', { names: Array(600).fill('a'), positions: Array(600).fill(0) }],
  ])('%s are ignored', (_what, joints) => {
    const { reports, say, counts } = reportingRobot();
    say('joints', { v: 1, ...joints });
    expect(reports.joints).toBeUndefined();
    expect(counts).toEqual({ robot_reports: 1 });
  });
});

describe('A robot that reports too much', () => {
  it('is not listened to for 10 s, and again afterwards', () => {
    const { reports, say, tell, told, listening, lines } = reportingRobot();
    for (let count = 0; count < 3_000; count += 1) say('joints', { v: 1, names: [], positions: [] });
    expect(listening).toEqual([false]);
    expect(reports.listening).toBe(false);
    tell('started');
    expect(told()).toEqual([]);
    expect(lines).toHaveLength(1);
    jest.advanceTimersByTime(10_000);
    expect(listening).toEqual([false, true]);
    tell('started', { mission: 'm2' });
    expect(told()).toMatchObject([{ type: 'started', id: 'm2' }]);
  });

  it('has reports ignored that are too large', () => {
    const { reports, say, counts } = reportingRobot();
    say('state', { v: 1, moving: true, note: 'x'.repeat(16 * 1024) });
    expect(reports.state).toBeUndefined();
    expect(counts).toEqual({ robot_reports: 1 });
  });
});

describe('The emergency stop in the state of a robot', () => {
  it('is what the robot said last, for 2 s', () => {
    const { reports, say } = reportingRobot();
    const { emergencyStop } = reports;
    const seen: string[] = [];
    emergencyStop.onChange(() => seen.push(emergencyStop.state));
    expect(emergencyStop).toMatchObject({ state: 'unknown', source: 'robots/robot-1/state' });
    for (let count = 0; count < 3; count += 1) {
      say('state', { v: 1, estop: 'released' });
      jest.advanceTimersByTime(1_000);
    }
    say('state', { v: 1, estop: 'engaged' });
    say('state', { v: 1 });
    say('state', { v: 1, estop: 'released' });
    jest.advanceTimersByTime(2_100);
    expect(seen).toEqual(['released', 'engaged', 'unknown', 'released', 'unknown']);
    say('state', { v: 1, estop: 'engaged' });
    reports.forget();
    expect(seen.slice(5)).toEqual(['engaged', 'unknown']);
  });

  it('is unknown when it is too old, however late its timer is', () => {
    const { reports, say } = reportingRobot();
    say('state', { v: 1, estop: 'released' });
    const frozen = performance.now() + 2_001;
    const late = jest.spyOn(performance, 'now').mockReturnValue(frozen);
    expect(reports.emergencyStop.state).toBe('unknown');
    late.mockRestore();
  });
});
