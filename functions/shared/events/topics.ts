import type * as z from 'zod';
import { type AccessLevel, isAtLeast } from '../access.ts';
import { ServiceError } from '../errors.ts';
import { LogEntry } from '../log-entry.schema.ts';
import { AuditEntry } from '../observability/audit-entry.schema.ts';
import * as data from './data.schema.ts';

/** What clients can subscribe to. */
interface TopicSpec {
  /** Least privileged level that may subscribe. */
  readonly level: AccessLevel;
  readonly summary: string;
  /** Only the newest event counts: older ones are dropped for a slow consumer and are not replayed. */
  readonly latest?: true;
  /** Followed by a path: `logs/{system}/{unit}`. */
  readonly parameters?: readonly string[];
  /** What happens, with the schema of the event's data. */
  readonly verbs: Readonly<Record<string, z.ZodType>>;
  /** What a new subscriber is told first; absent: null. */
  readonly snapshot?: z.ZodType;
}

export const TOPICS = {
  safety: {
    level: 'USER',
    summary:
      'Stops of the robot: asked for by whom, confirmed or not; acts of the guard; its emergency stop; a lease that was taken or has lapsed. The snapshot is the last event.',
    verbs: {
      stop_requested: data.StopRequested,
      stop_confirmed: data.StopConfirmed,
      stop_not_confirmed: data.StopNotConfirmed,
      guard_stopped: data.GuardStopped,
      lease_taken: data.LeaseMoved,
      lease_lapsed: data.LeaseMoved,
      estop_engaged: data.EmergencyStopChanged,
      estop_released: data.EmergencyStopChanged,
      estop_unknown: data.EmergencyStopChanged,
    },
  },
  state: {
    level: 'USER',
    summary: 'Pose, velocity, battery and more, at most 20 times a second.',
    latest: true,
    verbs: { changed: data.StateChanged },
    snapshot: data.StateChanged,
  },
  joints: {
    level: 'USER',
    summary: 'Positions of the joints, at most 20 times a second.',
    latest: true,
    verbs: { changed: data.JointsChanged },
    snapshot: data.JointsChanged,
  },
  missions: {
    level: 'USER',
    summary: 'Missions, their progress, and how they end. The snapshot lists those that have started.',
    verbs: {
      started: data.MissionChanged,
      progressed: data.MissionChanged,
      finished: data.MissionChanged,
      cancelled: data.MissionChanged,
      failed: data.MissionChanged,
    },
    snapshot: data.MissionsUnderWay,
  },
  runs: {
    level: 'USER',
    summary: 'Runs of skills, from their start to their end. The snapshot lists those under way.',
    verbs: {
      starting: data.RunChanged,
      running: data.RunChanged,
      stopping: data.RunChanged,
      succeeded: data.RunChanged,
      failed: data.RunChanged,
      stopped: data.RunChanged,
    },
    snapshot: data.RunsUnderWay,
  },
  lease: {
    level: 'USER',
    summary: 'Who controls the robot. The snapshot is null while nobody has held the lease since the start.',
    verbs: {
      acquired: data.LeaseChanged,
      taken: data.LeaseChanged,
      revived: data.LeaseChanged,
      released: data.LeaseChanged,
      lapsed: data.LeaseChanged,
    },
    snapshot: data.LeaseChanged,
  },
  skills: {
    level: 'USER',
    summary: 'Skill files that were changed through the service.',
    verbs: {
      uploaded: data.SkillChanged,
      enabled: data.SkillChanged,
      disabled: data.SkillChanged,
      renamed: data.SkillChanged,
      removed: data.SkillChanged,
    },
  },
  alerts: {
    level: 'USER',
    summary: 'What someone should look at. The snapshot lists what is raised.',
    verbs: { raised: data.AlertRaised, cleared: data.AlertCleared },
    snapshot: data.ActiveAlerts,
  },
  network: {
    level: 'ADMIN',
    summary: 'Wi-Fi networks that were configured through the service.',
    verbs: { configured: data.WifiConfigureEnded, configure_failed: data.WifiConfigureEnded },
  },
  services: {
    level: 'ADMIN',
    summary: 'States of the allowed units of systemd, looked at every 5 seconds while somebody listens.',
    verbs: { listed: data.UnitStates, changed: data.UnitState },
    snapshot: data.UnitStates,
  },
  database: {
    level: 'ADMIN',
    summary: 'Rows and tables that were changed through the service.',
    verbs: { changed: data.DatabaseChanged },
  },
  commands: {
    level: 'ADMIN',
    summary: 'Commands that are no queries, with how they ended.',
    verbs: { answered: data.CommandAnswered },
  },
  logs: {
    level: 'ADMIN',
    summary: 'New log entries of one allowed unit, messages cut at 8 KiB.',
    parameters: ['system', 'unit'],
    verbs: { written: LogEntry },
  },
  audit: {
    level: 'ENCHANTER',
    summary: 'Everything that is kept in the audit trail by this process.',
    verbs: { appended: AuditEntry },
  },
} as const satisfies Record<string, TopicSpec>;

export type TopicName = keyof typeof TOPICS;
export type Verb<T extends TopicName> = keyof (typeof TOPICS)[T]['verbs'] & string;
type Verbs<T extends TopicName> = (typeof TOPICS)[T]['verbs'];
export type DataOf<T extends TopicName, V extends Verb<T>> = Verbs<T>[V] extends z.ZodType
  ? Readonly<z.input<Verbs<T>[V]>>
  : never;

/** What a client subscribes to: a topic, or one path of it such as `logs/head/nav.service`. */
export interface Channel {
  readonly name: string;
  readonly topic: TopicName;
  readonly parameters: readonly string[];
}

export function specOf(topic: TopicName): TopicSpec {
  return TOPICS[topic];
}

/**
 * The channel of this name for a caller of this level.
 * @throws ServiceError `validation_failed` for an unknown name, `insufficient_access`.
 */
export function channelNamed(name: string, level: AccessLevel): Channel {
  const [topic = '', ...parameters] = name.split('/');
  if (!isTopic(topic) || parameters.length !== (specOf(topic).parameters?.length ?? 0)) {
    throw new ServiceError('validation_failed', {
      detail: `There is no topic ${JSON.stringify(name.slice(0, 64))}. Topics are ${TOPIC_NAMES.join(', ')}.`,
    });
  }
  const needed = specOf(topic).level;
  if (!isAtLeast(level, needed)) {
    throw new ServiceError('insufficient_access', {
      detail: `The topic "${topic}" needs access level ${needed}; the token has ${level}. GET /api/v2/auth/ gives one to an API key of that level.`,
    });
  }
  return { name, topic, parameters };
}

function isTopic(name: string): name is TopicName {
  return Object.hasOwn(TOPICS, name);
}

/** As people write them: `logs/{system}/{unit}`. */
const TOPIC_NAMES = Object.keys(TOPICS).map(
  (name) => [name, ...(specOf(name as TopicName).parameters ?? []).map((parameter) => `{${parameter}}`)].join('/'), // as: its own key
);
