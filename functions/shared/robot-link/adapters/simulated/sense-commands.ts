import type { SimulatedHome } from '../../simulated-home.ts';
import { type CommandRow, query } from './command-row.ts';
import type { RobotState } from './robot-state.ts';
import { handleInSight, humanInSight } from './surroundings.ts';

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
  query('none', 'list_all_location_ids', 'Known locations', ({ home }) => withLocations(home, (ids) => [...ids])),
];

function withLocations<T>(home: SimulatedHome, use: (ids: readonly string[]) => T): T | Promise<T> {
  const ids = home.locations();
  return ids instanceof Promise ? ids.then(use) : use(ids);
}

function isSeeing({ now, body, runes }: RobotState, what: string): boolean | Promise<boolean> {
  if (what === 'human') return humanInSight(now());
  if (what === 'handle') return handleInSight(body.pose());
  return runes.ask((near) => {
    const angle = near.angleOfArrival(what);
    return angle !== null && Math.abs(angle) <= HALF_FIELD_OF_VIEW;
  });
}

const PDDL_DOMAIN = `(define (domain simulated-robot)
  (:requirements :strips :typing)
  (:types location)
  (:predicates (at ?l - location))
  (:action go
    :parameters (?from ?to - location)
    :precondition (at ?from)
    :effect (and (at ?to) (not (at ?from)))))`;

const pddlProblem = (locations: readonly string[]) => `(define (problem visit-the-kitchen)
  (:domain simulated-robot)
  (:objects ${locations.join(' ')} - location)
  (:init (at charging_station))
  (:goal (at kitchen)))`;

const PUBLISHERS = [
  { topic: '/odom', type: 'nav_msgs/Odometry' },
  { topic: '/battery_state', type: 'sensor_msgs/BatteryState' },
  { topic: '/joint_states', type: 'sensor_msgs/JointState' },
];

/** What the planner and the publishers of the robot would show. */
export const PLANNING_COMMANDS: readonly CommandRow[] = [
  query('none', 'get_publishers', 'Topics the robot publishes', () => PUBLISHERS),
  query('none', 'pddl_domain', 'Planning domain in PDDL', () => PDDL_DOMAIN),
  query('none', 'pddl_problem', 'Planning problem in PDDL', ({ home }) => withLocations(home, pddlProblem)),
  query('none', 'autonomous_planning_output', 'Plan that was found', () => '0: (go charging_station kitchen)'),
];
