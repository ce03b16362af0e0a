import type { JsonObject, JsonValue } from '../kit/json.ts';

/** An exchange as it may happen: the value, absent for kind `none`, and the robot's answer to it. */
export type CommandExample = { readonly value?: JsonValue; readonly result: JsonValue };

/** What robots answer to a command: one JSON Schema (draft 2020-12), and examples. */
export interface DocumentedResult {
  readonly result: JsonObject;
  readonly examples: CommandExample[];
}

const ID = '0b9b5c2e-6a52-4c9a-9d4d-1f3a2b8c7d10';
const boolean: JsonObject = { type: 'boolean' };
const text: JsonObject = { type: 'string' };
const texts: JsonObject = { type: 'array', items: text };
const percent: JsonObject = { type: 'number', minimum: 0, maximum: 100, 'x-unit': '%' };
const metres: JsonObject = { type: 'number', 'x-unit': 'm' };
const degrees: JsonObject = { type: 'number', 'x-unit': '°' };
const nullable = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: 'null' }] });

/** An object with these members; robots may answer more. */
function object(required: Record<string, JsonObject>, optional: Record<string, JsonObject> = {}): JsonObject {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) };
}

function documented(result: JsonObject, ...examples: CommandExample[]): DocumentedResult {
  return { result, examples };
}

/** A mission: `msg` is its id, or why it was not called. */
export const CALLED = object({ called: boolean, msg: text });
/** A message that nothing confirms. */
export const SENT = object({ sent: { const: true } });

const verdict = (member: string) => object({ [member]: boolean, msg: text });
const start = verdict('started');
const wait = object({ awaited: boolean, start_result: start, msg: text });
const cancelled = verdict('cancelled');
const cancelledAll = object({ cancelled: boolean, cancelled_missions: { type: 'integer', minimum: 0 }, msg: text });
/** What robots answer about missions. */
export const MISSION_RESULTS = {
  wait,
  wait_for_start: start,
  cancel: cancelled,
  cancel_and_wait: cancelled,
  cancel_mine: cancelledAll,
} as const;

const cancellation = documented(cancelled, {
  value: ID,
  result: { cancelled: true, msg: 'Mission cancelled' },
});
const drive = documented(
  object({ called: boolean, msg: text }, { accepted: boolean, arrives_in_seconds: { type: 'number', 'x-unit': 's' } }),
  { value: { x: 1, y: 0.5, theta: 90 }, result: { called: true, msg: ID } },
);
const ofRune = (result: JsonObject, answer: JsonValue) => documented(result, { value: 'rune-1', result: answer });
const yesOrNo = documented(boolean, { result: false });
const names = (...result: string[]) => documented(texts, { result });

/** The result of every command that robots of different makers have in common, by name. */
export const DOCUMENTED_RESULTS: Readonly<Record<string, DocumentedResult>> = {
  go_to_absolute: drive,
  go_to_relative: drive,
  get_pose: documented(object({ x: metres, y: metres, z: metres, theta: degrees }, { moving: boolean }), {
    result: { x: 1, y: 0.5, z: 0, theta: 90, moving: false },
  }),
  set_robot_max_velocity: documented(object({ max_velocity: percent }), { value: 50, result: { max_velocity: 50 } }),
  set_obstacle_avoidance: documented(object({ obstacle_avoidance: boolean }), {
    value: true,
    result: { obstacle_avoidance: true },
  }),
  exit_arms_collision: documented(object({ exited: boolean, msg: text }), {
    result: { exited: true, msg: 'No arms collide' },
  }),
  get_skills: documented(
    {
      type: 'array',
      items: object({ name: text, title: text, takes: { type: 'object', additionalProperties: text } }),
    },
    { result: [{ name: 'wave', title: 'Wave a hand', takes: {} }] },
  ),
  skill: documented(CALLED, { value: { name: 'wave' }, result: { called: true, msg: ID } }),
  play_sequence: documented(CALLED, { value: ['wave', 'bow'], result: { called: true, msg: ID } }),
  wait_for_skill: documented(wait, {
    value: ID,
    result: { awaited: true, start_result: { started: true, msg: 'Mission started' }, msg: 'Mission finished' },
  }),
  wait_for_skill_started: documented(start, { value: ID, result: { started: true, msg: 'Mission started' } }),
  cancel_skill: cancellation,
  cancel_and_wait_for_mission: cancellation,
  cancel_client_missions: documented(cancelledAll, {
    result: { cancelled: true, cancelled_missions: 1, msg: "1 of this client's missions cancelled" },
  }),
  get_battery_level: documented(percent, { result: 87.5 }),
  is_sleeping: yesOrNo,
  is_making_noise: yesOrNo,
  is_seeing_human: yesOrNo,
  is_seeing_handle: yesOrNo,
  is_seeing: documented(boolean, { value: 'human', result: true }),
  list_all_location_ids: names('charging_station', 'kitchen'),
  get_all_runes_details: documented(
    {
      type: 'array',
      items: object({
        id: text,
        label: text,
        x: metres,
        y: metres,
        command: nullable(text),
        rssi: nullable({ type: 'number', 'x-unit': 'dBm' }),
        angle_of_arrival: nullable(degrees),
      }),
    },
    {
      result: [{ id: 'rune-1', label: 'Charging station', x: 0, y: 1, command: null, rssi: -45, angle_of_arrival: 90 }],
    },
  ),
  get_detected_runes: names('rune-1', 'rune-2'),
  get_clicked_runes: names('rune-1'),
  get_double_clicked_runes: names('rune-1'),
  get_long_pressed_runes: names('rune-1'),
  is_detected: ofRune(boolean, true),
  is_clicked: ofRune(boolean, false),
  is_double_clicked: ofRune(boolean, false),
  is_long_pressed: ofRune(boolean, false),
  get_rune_rssi: ofRune(nullable({ type: 'number', 'x-unit': 'dBm' }), -45),
  get_rune_angle_of_arrival: ofRune(nullable(degrees), 90),
  rune_association: documented(verdict('associated'), {
    value: { rune: 'rune-1', command: 'wave' },
    result: { associated: true, msg: 'Rune associated' },
  }),
  get_character_name: documented(text, { result: 'Pip' }),
  get_language: documented(text, { result: 'en' }),
  set_language: documented(verdict('set'), { value: 'fr', result: { set: true, msg: 'The robot speaks fr' } }),
  sound_level: documented(object({ sound_level: percent }), { value: 40, result: { sound_level: 40 } }),
  set_actions_by_voice: documented(object({ actions_by_voice: boolean }), {
    value: true,
    result: { actions_by_voice: true },
  }),
  get_publishers: documented(
    { type: 'array', items: object({ topic: text, type: text }) },
    { result: [{ topic: '/odom', type: 'nav_msgs/Odometry' }] },
  ),
  pddl_domain: documented(text, { result: '(define (domain simulated-robot) …)' }),
  pddl_problem: documented(text, { result: '(define (problem visit-the-kitchen) …)' }),
  autonomous_planning_output: documented(text, { result: '0: (go charging_station kitchen)' }),
};
