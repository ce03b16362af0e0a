import * as z from 'zod';
import { SYSTEMS } from '../allowed-units.ts';
import { LeaseStanding } from '../control/lease.schema.ts';
import { Json } from '../kit/json.schema.ts';

/** The lease as it is after a change. */
export const LeaseChanged = LeaseStanding.meta({ id: 'LeaseChanged' });

/** Who caused something, as far as anybody may know. */
export const EventActor = z
  .object({
    client: z.string().describe('the first 8 characters of the client id'),
    key_id: z.string().describe('`local` over the Unix socket'),
  })
  .meta({ id: 'EventActor' });
export type EventActor = Readonly<z.infer<typeof EventActor>>;

/** A lease that was taken, or that lapsed. */
export const LeaseMoved = LeaseStanding.extend({
  by: EventActor.describe('who took it; of one that lapsed, who held it'),
}).meta({ id: 'LeaseMoved' });

const by = EventActor.nullable().describe('null when nobody known asked for it');

export const StopRequested = z.object({ by }).meta({ id: 'StopRequested' });
export const StopConfirmed = z
  .object({
    by,
    cancelled_missions: z.int().min(0).nullable().describe('null when the robot does not say how many'),
  })
  .meta({ id: 'StopConfirmed' });
export const StopNotConfirmed = z
  .object({ by, code: z.string().describe('why: the code of the error that the stop was answered with') })
  .meta({ id: 'StopNotConfirmed' });

export const GuardStopped = z
  .object({
    by,
    at: z.iso.datetime().describe('when it happened; the service may learn of it later'),
    why: z
      .enum(['asked', 'lease', 'jog'])
      .describe('`asked`: by a client; else what the service could not end itself: motion of a lease, or a jog'),
    outcome: z
      .string()
      .describe(
        '`ok`: the robot has confirmed; `sent`: zero velocity, which nothing answers; or the code of the error',
      ),
  })
  .meta({ id: 'GuardStopped' });

export const ESTOP_STATES = ['released', 'engaged', 'unknown'] as const;
export const EmergencyStopChanged = z
  .object({
    state: z.enum(ESTOP_STATES).describe('`unknown`: the last report is older than 2 s'),
    source: z.string().describe('where the state comes from: the name of a topic, for instance'),
  })
  .meta({ id: 'EmergencyStopChanged' });

export const RobotPose = z
  .object({ x: z.number(), y: z.number(), z: z.number(), theta: z.number() })
  .describe('metres; theta in degrees, counter-clockwise')
  .meta({ id: 'RobotPose' });
export const RobotVelocity = z
  .object({ linear: z.number().describe('m/s'), angular: z.number().describe('degrees/s, counter-clockwise') })
  .meta({ id: 'RobotVelocity' });
export const RobotBattery = z
  .object({
    level: z.number().min(0).max(100).describe('percent'),
    charging: z.boolean().exactOptional().describe('absent when the robot does not say'),
  })
  .meta({ id: 'RobotBattery' });

export const FramePose = z
  .object({
    x: z.number(),
    y: z.number(),
    z: z.number(),
    roll: z.number(),
    pitch: z.number(),
    yaw: z.number(),
  })
  .describe('metres and degrees')
  .meta({ id: 'FramePose' });
export const RobotFrames = z
  .record(z.string(), FramePose)
  .describe('poses of named frames, for robots that move more than a base')
  .meta({ id: 'RobotFrames', example: { head: { x: 0, y: 0, z: 0.1, roll: 0, pitch: -10, yaw: 30 } } });

/** What a robot says of itself. It has only the members that the robot has. */
export const ReportedState = z.object({
  pose: z.union([RobotPose, RobotFrames]).exactOptional().describe('of the base, or of named frames'),
  velocity: RobotVelocity.exactOptional(),
  battery: RobotBattery.exactOptional(),
  moving: z.boolean().exactOptional(),
  power: z
    .enum(['on', 'off', 'compliant', 'unknown'])
    .exactOptional()
    .describe('of the motors; `compliant`: they can be moved by hand'),
  driver: z
    .string()
    .exactOptional()
    .describe('who drives the robot past this service; motion is 409 `driven_elsewhere` meanwhile'),
});
export type ReportedState = Readonly<z.infer<typeof ReportedState>>;

export const EventVolume = z
  .object({ level: z.number().describe('percent'), muted: z.boolean() })
  .meta({ id: 'EventVolume' });

export const StateChanged = ReportedState.extend({
  mode: z.enum(['sim', 'robot']).describe('`SERVICE_MODE`'),
  link: z.enum(['connected', 'disconnected']).describe('whether the service reaches the robot'),
  volume: EventVolume.nullable().describe('null while no sound system answers'),
  simulated: z.boolean().describe('the robot exists in memory only'),
  estop: z.enum(ESTOP_STATES).nullable().describe('the emergency stop of the robot; null where it reports none'),
}).meta({ id: 'StateChanged' });
export type StateChanged = z.infer<typeof StateChanged>;

export const JointsChanged = z
  .object({
    names: z.array(z.string()).describe('as in the URDF'),
    positions: z.array(z.number()).describe('radians, or metres of a prismatic joint; in the order of `names`'),
  })
  .meta({ id: 'JointsChanged' });
export type JointsChanged = Readonly<z.infer<typeof JointsChanged>>;

export const MissionChanged = z
  .object({
    id: z.string(),
    skills: z.array(z.string()).describe('the skills it consists of, in their order'),
    client: z
      .string()
      .nullable()
      .describe('the first 8 characters of the client id that called it; null when nobody known did'),
    progress: z.number().min(0).max(1).exactOptional().describe('how much of it is done, where the robot tells'),
    message: z.string().exactOptional().describe('why it ended, unless it finished'),
  })
  .meta({ id: 'MissionChanged' });
export type MissionChanged = z.infer<typeof MissionChanged>;
export const MissionsUnderWay = z.object({ missions: z.array(MissionChanged) }).meta({ id: 'MissionsUnderWay' });

export const RunChanged = z
  .object({
    id: z.string().describe('of the run, which is also the id of its mission'),
    state: z.enum(['starting', 'running', 'stopping', 'succeeded', 'failed', 'stopped']),
    skill: z.string().describe('the name of the file without `.py`'),
    function: z.string(),
    sandbox: z.string().describe('as in the run; `none`: nothing keeps it from the rest of the machine'),
    by: EventActor.describe('who started it'),
    code: z.string().nullable().describe('why it failed'),
  })
  .meta({ id: 'RunChanged' });
export const RunsUnderWay = z.object({ runs: z.array(RunChanged) }).meta({ id: 'RunsUnderWay' });

export const SkillChanged = z
  .object({
    skill: z.string().describe('the name without `.py`'),
    enabled: z.boolean().exactOptional(),
    previous: z.string().exactOptional().describe('the name before it was renamed'),
  })
  .meta({ id: 'SkillFileChanged' });

export const ALERTS = [
  'robot',
  'storage',
  'clock',
  'signing_key',
  'keys',
  'relay',
  'socket',
  'certificate',
  'key_expiry',
] as const;
export const AlertRaised = z
  .object({
    alert: z.enum(ALERTS).describe('the part that is in trouble, mostly as in `/health/ready`'),
    message: z.string().describe('a sentence a person can act on'),
  })
  .meta({ id: 'AlertRaised' });
export type AlertRaised = z.infer<typeof AlertRaised>;
export const AlertCleared = AlertRaised.pick({ alert: true }).meta({ id: 'AlertCleared' });
export const ActiveAlerts = z.object({ alerts: z.array(AlertRaised) }).meta({ id: 'ActiveAlerts' });

export const WifiConfigureEnded = z
  .object({
    ssid: z.string(),
    outcome: z.string().describe('`ok`, or the code of the error'),
  })
  .meta({ id: 'WifiConfigureEnded' });

export const UnitState = z
  .object({
    system: z.enum(SYSTEMS),
    name: z.string(),
    active_state: z.string().nullable().describe('null once the unit is gone'),
    sub_state: z.string().nullable(),
  })
  .meta({ id: 'UnitState' });
export type UnitState = z.infer<typeof UnitState>;
export const UnitStates = z.object({ units: z.array(UnitState) }).meta({ id: 'UnitStates' });

export const DatabaseChanged = z
  .object({
    table: z.string().nullable().describe('null: every table'),
    operation: z.enum(['add', 'update', 'delete', 'clear', 'import', 'restore']),
    id: z.union([z.string(), z.number()]).nullable().describe('of the row; null when it is not about one row'),
  })
  .meta({ id: 'DatabaseChanged' });

export const CommandAnswered = z
  .object({
    command: z.string(),
    value: Json.exactOptional().describe('absent when it is long; secrets are masked'),
    outcome: z.string().describe('as in the audit trail: `ok`, or the code of the error'),
    client_id: z.string().nullable(),
    key_id: z.string().nullable(),
  })
  .meta({ id: 'CommandAnswered' });
