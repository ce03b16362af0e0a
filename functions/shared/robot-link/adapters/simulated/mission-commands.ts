import type { JsonObject } from '../../../kit/json.ts';
import { action, type CommandRow, query } from './command-row.ts';
import { planSkills, SKILLS } from './skills.ts';

const MAX_STEPS = 100;

/** Skills and the missions that carry them out. */
export const MISSION_COMMANDS: readonly CommandRow[] = [
  query('none', 'get_skills', 'Skills of the robot', () =>
    [...SKILLS.values()].map(({ name, title, takes }) => ({ name, title, takes })),
  ),
  action(
    'dict',
    'skill',
    'Call a skill by its name, with its arguments',
    (robot, value, { sender }) => robot.missions.call(sender, planSkills([value])),
    { motion: true },
  ),
  action(
    'list',
    'play_sequence',
    'Call skills one after another, by their names',
    (robot, names, { sender }) => robot.missions.call(sender, planSequence(names as string[])), // as: items is str
    { items: 'str', motion: true },
  ),
  query(
    'str',
    'wait_for_skill',
    'Wait until a mission is over',
    (robot, id, { waiting }) => robot.missions.waitForEnd(id, waiting),
    { waits: true },
  ),
  query(
    'str',
    'wait_for_skill_started',
    'Wait until a mission has started',
    (robot, id, { waiting }) => robot.missions.waitForStart(id, waiting),
    { waits: true },
  ),
  action('str', 'cancel_skill', 'Cancel a mission', (robot, id) => robot.missions.cancel(id)),
  action(
    'str',
    'cancel_and_wait_for_mission',
    'Cancel a mission and wait until it is over',
    (robot, id) => robot.missions.cancel(id), // here a mission is over as soon as it is cancelled
    { waits: true },
  ),
  action('none', 'cancel_client_missions', 'Cancel every mission of this client', (robot, _value, { sender }) => {
    const count = robot.missions.cancelAll(sender.clientId);
    return { cancelled: count > 0, cancelled_missions: count, msg: `${count} of this client's missions cancelled` };
  }),
];

function planSequence(names: readonly string[]) {
  if (names.length === 0 || names.length > MAX_STEPS) {
    return { refused: `A sequence has 1 to ${MAX_STEPS} skills` };
  }
  return planSkills(names.map((name): JsonObject => ({ name })));
}
