import { describe, expect, it, jest } from '@jest/globals';
import { useFakeTimers } from '../../../support/fake-timers.ts';
import { reportingRobot } from '../../../support/reporting-robot.ts';

useFakeTimers(1_800_000_000_000);

describe('Missions of a robot behind a broker', () => {
  it('are published from start to end', () => {
    const { tell, told, snapshot } = reportingRobot();
    tell('started', { skills: ['wave'], client_id: '5d1c7e02-secret' });
    tell('progressed', { progress: 0.5 });
    const mission = { id: 'm1', skills: ['wave'], client: '5d1c7e02' };
    expect(told()).toEqual([
      { type: 'started', ...mission },
      { type: 'progressed', ...mission, progress: 0.5 },
    ]);
    expect(snapshot()).toEqual([{ ...mission, progress: 0.5 }]);
    tell('cancelled', { message: 'It was in the way.' });
    expect(told()).toEqual([{ type: 'cancelled', ...mission, message: 'It was in the way.' }]);
    expect(snapshot()).toEqual([]);
  });

  it('publish their progress once per second', () => {
    const { tell, told } = reportingRobot();
    tell('started');
    for (let step = 0; step < 50; step += 1) {
      tell('progressed', { progress: step / 50 });
      jest.advanceTimersByTime(100);
    }
    expect(told().filter(({ type }) => type === 'progressed')).toHaveLength(5);
  });

  it('without a known sender have no client', () => {
    const { tell, told } = reportingRobot();
    tell('failed', { message: 'It fell.' });
    expect(told()).toEqual([{ type: 'failed', id: 'm1', skills: [], client: null, message: 'It fell.' }]);
  });

  it('are published as failed if the robot disconnects before they end', () => {
    const { reports, tell, told, snapshot } = reportingRobot();
    tell('started');
    reports.forget();
    expect(told()).toMatchObject([
      { type: 'started' },
      { type: 'failed', message: expect.stringContaining('did not report how') },
    ]);
    expect(snapshot()).toEqual([]);
  });

  it('are logged if events between them were lost, and not published twice', () => {
    const { say, tell, told, skip, counts } = reportingRobot();
    tell('started');
    say('events', { v: 1, seq: 1, event: 'mission_started', mission: 'm1' });
    expect(told()).toHaveLength(1);
    expect(counts).toEqual({});
    skip(1);
    tell('finished');
    expect(told()).toHaveLength(1);
    expect(counts).toEqual({ robot_reports: 1 });
  });

  it('are not told faster than others can read', () => {
    const { tell, told, counts } = reportingRobot();
    for (let count = 0; count < 1_000; count += 1) tell('started', { mission: `m${count}` });
    expect(told()).toHaveLength(100);
    expect(counts).toEqual({ robot_reports: 900 });
  });

  it('are followed, the last 100 of them', () => {
    const { tell, told, snapshot } = reportingRobot();
    for (let count = 0; count < 101; count += 1) {
      tell('started', { mission: `m${count}` });
      jest.advanceTimersByTime(100);
    }
    expect(told().filter(({ type }) => type === 'failed')).toMatchObject([{ id: 'm0' }]);
    expect(snapshot()).toHaveLength(100);
  });

  it('are not told of what does not fit; events of other names are left alone', () => {
    const { say, tell, told, counts } = reportingRobot();
    tell('progressed', { progress: 2 });
    tell('started', { mission: '' });
    say('events', { v: 1, seq: 9, event: 'mission_started' });
    expect(counts).toEqual({ robot_reports: 3 });
    say('events', { v: 1, seq: 10, event: 'collision', with: 'a wall' });
    expect(counts).toEqual({ robot_reports: 3 });
    expect(told()).toEqual([]);
  });
});
