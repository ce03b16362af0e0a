import type { JointsChanged } from '../../../events/data.schema.ts';
import type { JsonPath, JsonValue } from '../../../kit/json.ts';
import type { ValueType } from './filters.ts';
import { odometryProblem, pairJoints, type ReadState, readJointState, stateReader } from './known-messages.ts';
import type { MappingFile } from './mapping.schema.ts';
import { plainType } from './mapping-parts.schema.ts';
import { type EmergencyStopEntry, type JogEntry, MAX_WATCHDOG_MS } from './report.schema.ts';
import type { Roots, Template } from './template.ts';

/** A topic with reports of the robot. `read` throws UnfitValue for an invalid message. */
interface ReportedTopic<Read> {
  readonly topic: string;
  readonly type: string;
  readonly throttleMs: number;
  readonly maxAgeMs: number;
  readonly read: Read;
}

/** Reads the messages of one topic; readers of known types keep state. */
export type StateTopic = ReportedTopic<ReadState> & {
  /** What a message lacks, of which only a part can be read. */
  readonly problem?: (message: JsonValue) => string | undefined;
};
export type JointsTopic = ReportedTopic<(message: JsonValue) => JointsChanged>;
export type EmergencyStopTopic = Omit<EmergencyStopEntry, 'engaged'> & { readonly engaged: Template };
export type JogTopic = JogEntry & { readonly watchdog_ms: number };

/** The reports and the jog of the robot. */
export interface ReportPlan {
  readonly state: readonly StateTopic[];
  readonly joints: readonly JointsTopic[];
  readonly estop?: EmergencyStopTopic;
  readonly jog?: JogTopic;
}

/** Compiles a template of a mapping, recording its faults. */
export type CompileTemplate = (source: JsonValue, roots: Roots, path: JsonPath, type?: ValueType) => Template;

const ROOTS: Roots = { message: 'any' };
const MEMBER_TYPES = {
  pose: 'object',
  velocity: 'object',
  battery: 'object',
  moving: 'boolean',
  power: 'string',
} as const;
/** Default speed up to which a robot counts as standing still, in m/s and rad/s. */
const STILL_TOLERANCE = 0.01;
const DEFAULTS = { throttleMs: 50, maxAgeMs: 2_000 } as const;
/** Not throttled: with several publishers, a throttle would always pass the same one. */
const JOINTS_DEFAULTS = { throttleMs: 0, maxAgeMs: 2_000 } as const;
/** Batteries change slowly and are published rarely. */
const BATTERY_DEFAULTS = { throttleMs: 1_000, maxAgeMs: 30_000 } as const;

/** Compiles the parts of a mapping that describe the robot's reports. */
export function compileReports(
  { stop, state, joints, estop, jog }: MappingFile,
  template: CompileTemplate,
): ReportPlan {
  const tolerance = stop.still?.tolerance ?? STILL_TOLERANCE;
  return {
    state: state.map(({ values, ...rest }, index) => {
      const members = Object.entries(values ?? {}).map(([member, source = null]) => {
        const type = MEMBER_TYPES[member as keyof typeof MEMBER_TYPES]; // as: the schema has no other members
        return [member, template(source, ROOTS, ['state', index, 'values', member], type)] as const;
      });
      const defaults = plainType(rest.type) === 'sensor_msgs/BatteryState' ? BATTERY_DEFAULTS : DEFAULTS;
      const read = (message: JsonValue) =>
        Object.fromEntries(members.map(([member, value]) => [member, value.fill({ message })]));
      if (values) return { ...timesOf(rest, defaults), read };
      const problem = plainType(rest.type) === 'nav_msgs/Odometry' ? { problem: odometryProblem } : {};
      return { ...timesOf(rest, defaults), read: stateReader(rest.type, tolerance) ?? read, ...problem };
    }),
    joints: joints.map(({ values, ...rest }, index) => {
      if (!values) {
        const read = (message: JsonValue) => {
          const { names, positions } = readJointState(message);
          return pairJoints(names, positions);
        };
        return { ...timesOf(rest, JOINTS_DEFAULTS), read };
      }
      const names = template(values.names, ROOTS, ['joints', index, 'values', 'names'], 'list');
      const positions = template(values.positions, ROOTS, ['joints', index, 'values', 'positions'], 'list');
      return {
        ...timesOf(rest, JOINTS_DEFAULTS),
        read: (message) => pairJoints(names.fill({ message }), positions.fill({ message })),
      };
    }),
    ...(estop && {
      estop: {
        ...estop,
        engaged: template(estop.engaged ?? '$message.data', ROOTS, ['estop', 'engaged'], 'boolean'),
      },
    }),
    ...(jog?.watchdog_ms !== undefined &&
      jog.watchdog_ms <= MAX_WATCHDOG_MS && { jog: { ...jog, watchdog_ms: jog.watchdog_ms } }),
  };
}

type Defaults = Pick<ReportedTopic<never>, 'throttleMs' | 'maxAgeMs'>;

interface Times {
  readonly topic: string;
  readonly type: string;
  readonly throttle_ms?: number | undefined;
  readonly max_age_ms?: number | undefined;
}

function timesOf(
  { topic, type, throttle_ms, max_age_ms }: Times,
  defaults: Defaults,
): Omit<ReportedTopic<never>, 'read'> {
  return {
    topic,
    type,
    throttleMs: throttle_ms ?? defaults.throttleMs,
    maxAgeMs: max_age_ms ?? defaults.maxAgeMs,
  };
}
