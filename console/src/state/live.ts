import { computed, effect, signal } from '@preact/signals';
import { type Robot, type RobotEvent, RobotRestError } from '../../../clients/typescript/src/index.ts';
import { batteryCourse, notePoint, poseCourse } from './courses.ts';
import type {
  ActiveAlerts,
  Alert,
  Answered,
  Joints,
  LeaseStanding,
  Mission,
  MissionsUnderWay,
  State,
} from './event-data.ts';
import { isAnswering, now } from './link.ts';
import { noteMission, noteSnapshot } from './missions.ts';
import { isAtLeast, robot } from './session.ts';

/** The last thing that happened to the safety of the robot. */
export interface SafetyEvent {
  readonly what: string;
  readonly time: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

const TOPICS = ['safety', 'state', 'joints', 'missions'] as const;
/** A robot of a fleet has these only at the robot itself. */
const OWN_TOPICS = ['lease', 'alerts'] as const;
const RETRY_MS = 1000;
const MAX_ANSWERED = 100;
const STOPS = /^(stop_|guard_stopped)/;

export const state = signal<State | undefined>();
export const joints = signal<Joints | undefined>();
export const lease = signal<LeaseStanding | undefined>();
export const alerts = signal<readonly Alert[]>([]);
/** The last stop: requested, confirmed or not, or the guard's. */
export const lastStop = signal<SafetyEvent | undefined>();
export const lastSafety = signal<SafetyEvent | undefined>();
/** Commands of all clients; for ADMIN and above. */
export const answered = signal<readonly Answered[]>([]);
/** Whether it has what a robot of a fleet has only at the robot itself: control and alerts. */
export const isRobotItself = signal(true);
/** When the events broke off, on the monotonic clock; undefined while they come. */
const interruptedAt = signal<number | undefined>(performance.now());
const heardAt = signal(performance.now());

/** Whether what is shown may be old. */
export const isStale = computed(() => !isAnswering.value || interruptedAt.value !== undefined);
/** Of what is shown, in ms, while it may be old. */
export const ageMs = computed(() => Math.max(0, now.value - Math.min(interruptedAt.value ?? Infinity, heardAt.value)));

/** Follows the events of whoever is signed in. */
export function watchEvents(): void {
  effect(() => {
    const of = robot.value;
    if (!of) return;
    const over = new AbortController();
    isRobotItself.value = true;
    void followForEver(of, over.signal);
    return () => {
      over.abort();
      interruptedAt.value = performance.now();
      state.value = joints.value = lease.value = lastStop.value = lastSafety.value = undefined;
      alerts.value = [];
      answered.value = [];
    };
  });
  effect(() => {
    if (isAnswering.value) heardAt.value = now.value;
  });
  effect(() => {
    noteState(isStale.value ? undefined : state.value);
  });
}

async function followForEver(of: Robot, signal: AbortSignal): Promise<void> {
  let own: readonly string[] = isAtLeast('ADMIN') ? [...OWN_TOPICS, 'commands'] : OWN_TOPICS;
  while (!signal.aborted) {
    try {
      for await (const event of of.events([...TOPICS, ...own], { signal, interruptions: true })) {
        if (signal.aborted) return;
        take(event);
      }
    } catch (error) {
      interruptedAt.value ??= performance.now();
      if (isElsewhere(error)) {
        isRobotItself.value = false;
        own = own.filter((topic) => topic === 'commands' && own.length > 1);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** A topic is only there at the robot itself. */
function isElsewhere(error: unknown): boolean {
  return error instanceof RobotRestError && error.code === 'component_unavailable';
}

function take(event: RobotEvent): void {
  if (event.kind === 'interrupted') {
    interruptedAt.value ??= performance.now();
    return;
  }
  interruptedAt.value = undefined;
  if (event.kind === 'snapshot') showSnapshot(event.topic, event.data);
  else if (event.kind === 'event') happen(event.topic, event.type.slice(event.type.lastIndexOf('.') + 1), event);
}

function showSnapshot(topic: string, data: unknown): void {
  switch (topic) {
    case 'state':
      state.value = (data ?? undefined) as State | undefined; // as: the service's own schema, here and below
      break;
    case 'joints':
      joints.value = (data ?? undefined) as Joints | undefined;
      break;
    case 'lease':
      lease.value = (data ?? undefined) as LeaseStanding | undefined;
      break;
    case 'alerts':
      alerts.value = (data as ActiveAlerts | null)?.alerts ?? [];
      break;
    case 'missions':
      noteSnapshot((data as MissionsUnderWay | null)?.missions ?? []);
      break;
    case 'safety': {
      const last = data as { type: string; time?: string; data: Record<string, unknown> } | null;
      if (last) noteSafety(last.type.slice(last.type.lastIndexOf('.') + 1), last.time, last.data);
      break;
    }
  }
}

function happen(topic: string, verb: string, { data, time }: { data: unknown; time: string | undefined }): void {
  const at = time ?? new Date().toISOString();
  switch (topic) {
    case 'missions':
      noteMission(verb, data as Mission, at);
      break;
    case 'safety':
      noteSafety(verb, at, data as Record<string, unknown>);
      break;
    case 'commands':
      answered.value = [{ ...(data as Answered), time: at }, ...answered.value].slice(0, MAX_ANSWERED);
      break;
    case 'alerts': {
      const alert = data as Alert;
      const others = alerts.value.filter((one) => one.alert !== alert.alert);
      alerts.value = verb === 'raised' ? [...others, alert] : others;
      break;
    }
    default:
      showSnapshot(topic, data);
  }
}

function noteSafety(what: string, time: string | undefined, data: SafetyEvent['data']): void {
  lastSafety.value = { what, time, data };
  if (STOPS.test(what)) lastStop.value = lastSafety.value;
}

function noteState({ pose, battery, link }: Partial<State> = {}): void {
  const isKnown = link !== 'disconnected';
  batteryCourse.note(isKnown && battery ? [battery.level] : null);
  const isBase = isKnown && pose !== undefined && isBasePose(pose);
  poseCourse.note(isBase ? [pose.x, pose.y, pose.theta] : null);
  if (isBase) notePoint(pose);
}

type Pose = NonNullable<State['pose']>;
type BasePose = { readonly x: number; readonly y: number; readonly z: number; readonly theta: number };
export type Frames = Exclude<Pose, BasePose>;

/** Whether it is of a robot of which nothing but the base moves. */
export function isBasePose(pose: Pose): pose is BasePose {
  return 'theta' in pose && typeof pose.theta === 'number';
}
