import { type CommandRow, query } from './command-row.ts';
import { LOCATIONS } from './surroundings.ts';

const PDDL_DOMAIN = `(define (domain simulated-robot)
  (:requirements :strips :typing)
  (:types location)
  (:predicates (at ?l - location))
  (:action go
    :parameters (?from ?to - location)
    :precondition (at ?from)
    :effect (and (at ?to) (not (at ?from)))))`;

const PDDL_PROBLEM = `(define (problem visit-the-kitchen)
  (:domain simulated-robot)
  (:objects ${Object.keys(LOCATIONS).join(' ')} - location)
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
  query('none', 'pddl_problem', 'Planning problem in PDDL', () => PDDL_PROBLEM),
  query('none', 'autonomous_planning_output', 'Plan that was found', () => '0: (go charging_station kitchen)'),
];
