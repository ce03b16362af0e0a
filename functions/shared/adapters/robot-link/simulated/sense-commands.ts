import { type CommandRow, query } from './command-row.ts';
import type { RobotState } from './robot-state.ts';
import { handleInSight, humanInSight, LOCATIONS } from './surroundings.ts';

/** Half of what the camera sees, degrees from straight ahead. */
const HALF_FIELD_OF_VIEW = 45;

/** What the robot perceives, of itself and around it. */
export const SENSE_COMMANDS: readonly CommandRow[] = [
  query('none', 'get_battery_level', 'Battery level in percent', ({ battery }) => battery().level),
  query('none', 'is_sleeping', 'Whether it sleeps, as it does while it charges', ({ battery }) => battery().charging),
  query('none', 'is_making_noise', 'Whether a mission can be heard', ({ missions }) => missions.audible()),
  query('none', 'is_seeing_human', 'Whether a human is in sight', ({ now }) => humanInSight(now())),
  query('none', 'is_seeing_handle', 'Whether a door handle is in sight', ({ body }) => handleInSight(body.pose())),
  query('str', 'is_seeing', 'Whether "human", "handle" or a rune is in sight', isSeeing),
  query('none', 'list_all_location_ids', 'Known locations', () => Object.keys(LOCATIONS)),
];

function isSeeing({ now, body, runes }: RobotState, what: string): boolean {
  if (what === 'human') return humanInSight(now());
  if (what === 'handle') return handleInSight(body.pose());
  const angle = runes.angleOfArrival(what);
  return angle !== null && Math.abs(angle) <= HALF_FIELD_OF_VIEW;
}
