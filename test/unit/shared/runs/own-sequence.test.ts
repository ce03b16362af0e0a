import { describe, expect, it } from '@jest/globals';
import { withRuns } from '../../../../functions/shared/robot-link/adapters/skills/with-runs.ts';
import type { CommandSpec, RobotCommand } from '../../../../functions/shared/robot-link/port.ts';
import { scriptedLink } from '../../../support/robot.ts';
import { OWNER, openFakeRuns } from '../../../support/runs.ts';

const { signal } = new AbortController();
const OPTIONS = { deadline: Number.POSITIVE_INFINITY, signal };
const SPECS: readonly CommandSpec[] = [
  { name: 'get_skills', kind: 'none', title: 'List', effect: 'query' },
  { name: 'skill', kind: 'dict', title: 'Start', effect: 'action' },
  { name: 'wait_for_skill', kind: 'str', title: 'Wait', effect: 'query' },
];

describe('A sequence of skills of a robot that has no command for it', () => {
  it('is played by the service, one skill after the other', async () => {
    const { runs } = await openFakeRuns();
    const sent: unknown[] = [];
    const answer = ({ command, value }: RobotCommand) => {
      if (command === 'get_skills') return ['dance', 'bow'];
      sent.push([command, value]);
      return command === 'skill' ? { called: true, msg: `mission ${sent.length}` } : { awaited: true, msg: 'done' };
    };
    const robot = { ...scriptedLink(answer), catalogue: () => new Map(SPECS.map((spec) => [spec.name, spec])) };
    const link = withRuns(robot, { runs, clock: Date.now, leases: undefined });
    const send = async (command: string, value: string | readonly string[]) =>
      link.send({ command, value: value as string, sender: OWNER }, OPTIONS); // as: JSON
    const started = (await send('play_sequence', ['dance', 'bow'])) as { called: boolean; msg: string }; // as: of play_sequence
    expect(started.called).toBe(true);
    expect(await send('wait_for_skill', started.msg)).toMatchObject({ awaited: true });
    expect(sent).toEqual([
      ['skill', { name: 'dance' }],
      ['wait_for_skill', 'mission 1'],
      ['skill', { name: 'bow' }],
      ['wait_for_skill', 'mission 3'],
    ]);
    for (const names of [['dance', 'fly'], []])
      expect(await send('play_sequence', names)).toEqual({ called: false, msg: 'Unknown skill' });
    await runs.close();
  });
});
