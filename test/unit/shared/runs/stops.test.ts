import { describe, expect, it } from '@jest/globals';
import { Fence } from '../../../../functions/shared/control/fence.ts';
import { NO_EVENTS } from '../../../../functions/shared/events/events.port.ts';
import { give } from '../../../../functions/shared/port.ts';
import { emergencyStopped } from '../../../../functions/shared/robot-link/adapters/emergency-stopped.ts';
import { openSimulatedRobot } from '../../../../functions/shared/robot-link/adapters/simulated/simulated-robot.ts';
import { withRuns } from '../../../../functions/shared/robot-link/adapters/skills/with-runs.ts';
import { SimulatedEmergencyStop } from '../../../../functions/shared/robot-link/simulated-home.ts';
import { runs as runsPort } from '../../../../functions/shared/runs/ports.ts';
import type { RunEntry } from '../../../../functions/shared/runs/run-entry.ts';
import { actRecorder } from '../../../../local-host/guard/record-act.ts';
import { scriptedLink } from '../../../support/robot.ts';
import { type FakeRuns, OWNER, openFakeRuns } from '../../../support/runs.ts';
import { silentLogger, testPorts } from '../../../support/world.ts';

const { signal } = new AbortController();
const OPTIONS = { deadline: Number.POSITIVE_INFINITY, signal };

/** A register with a run that never ends by itself. */
async function hanging(): Promise<FakeRuns & { readonly run: RunEntry }> {
  const fake = await openFakeRuns();
  const run = await fake.runs.start({ skill: 'greet' }, OWNER, signal);
  await run.begun.wait();
  return { ...fake, run };
}

describe('Runs are refused everything and end', () => {
  it('with a stop of the robot, after the fence has risen, which waits for none of them', async () => {
    const { runs, run, doors } = await hanging();
    const robot = openSimulatedRobot(Date.now);
    const number = robot.fence.read();
    const link = withRuns(robot, { runs, clock: Date.now, leases: undefined });
    expect(link.stop(OPTIONS)).toEqual({ stopped: true, cancelled_missions: 0, runs_stopped: [run.id] });
    expect([robot.fence.read() > number, doors, run.state]).toEqual([true, ['refuse'], 'stopping']);
    await runs.close();
  });

  it('with a stop that the robot does not confirm', async () => {
    const { runs, run } = await hanging();
    const robot = openSimulatedRobot(Date.now);
    robot.setConnected(false);
    const link = withRuns(robot, { runs, clock: Date.now, leases: undefined });
    expect(() => link.stop(OPTIONS)).toThrow(expect.objectContaining({ code: 'robot_unavailable' }));
    expect(run.state).toBe('stopping');
    await runs.close();
  });

  it('with the emergency stop of the robot', async () => {
    const { runs, run, doors } = await hanging();
    const button = new SimulatedEmergencyStop();
    const robot = { ...scriptedLink(() => 'moved'), fence: new Fence(), emergencyStop: () => button };
    const onEngaged = () => void runs.stopAll();
    const link = emergencyStopped(robot, { events: NO_EVENTS, logger: silentLogger, clock: Date.now, onEngaged });
    button.press();
    expect([doors, run.state]).toEqual([['refuse'], 'stopping']);
    await link.close();
    await runs.close();
  });

  it('with a stop that somebody asked the guard for, not with one that it needed itself', async () => {
    const { runs, run } = await hanging();
    const record = await actRecorder(testPorts({ given: [give(runsPort, runs)] }));
    record({ id: '1', at: 0, why: 'jog', outcome: 'ok' });
    expect(run.state).toBe('running');
    record({ id: '2', at: 0, why: 'asked', outcome: 'ok' });
    expect(run.state).toBe('stopping');
    await runs.close();
  });
});
