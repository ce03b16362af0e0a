/** What the service gives out in shares, so that no client can take all of it. */
export type Budget =
  | 'connections'
  | 'socket_connections'
  | 'bodies'
  | 'members'
  | 'answers'
  | 'readings'
  | 'commands'
  | 'transfers'
  | 'exports'
  | 'storage'
  | 'processes'
  | 'logouts'
  | 'visitors'
  | 'robots'
  | 'robot_calls'
  | 'presence'
  | 'packets'
  | 'deadlines'
  | 'bridge_messages'
  | 'robot_reports'
  | 'event_streams';

/**
 * How a stop ended: the robot confirmed it; it was sent, and nothing confirms that the robot stands still; it never
 * left this process.
 */
export type StopOutcome = 'confirmed' | 'not_confirmed' | 'not_delivered';

/**
 * Why a motion was refused before it left: it arrived before a stop; no number of the fence could be kept; the emergency
 * stop of the robot is engaged, or not known to be released; it did not come from the holder of the lease; or somebody
 * drives the robot past the service.
 */
export const MOTION_REFUSALS = [
  'stopped',
  'storage_full',
  'estop_engaged',
  'lease_held',
  'lease_lost',
  'lease_required',
  'driven_elsewhere',
] as const;
export type MotionRefusal = (typeof MOTION_REFUSALS)[number];

/** What becomes of a frame of a jog. */
export const JOG_FRAMES = ['moved', 'zero', 'waiting', 'ignored', 'refused'] as const;
/** What ends a jog. */
export const JOG_ENDS = [
  'silence',
  'disconnected',
  'stop',
  'lease',
  'replaced',
  'blocked',
  'unguarded',
  'shutdown',
] as const;

/** What is counted about robots. Labels come from closed lists: no robot chooses one, nor does a stranger. */
export interface RobotMetrics {
  robotStop(outcome: StopOutcome): void;
  /** A motion was refused, and did not run. */
  motionRefusal(code: MotionRefusal): void;
  jogFrame(fate: (typeof JOG_FRAMES)[number]): void;
  jogEnd(why: (typeof JOG_ENDS)[number]): void;
  /** Two programs were found to use one robot id: by the service, or by the relay of one of the two robots. */
  robotIdConflict(seenBy: 'service' | 'relay'): void;
  /** A presence message was refused as a whole, or so many entries of its catalogue were left out. */
  presenceFaults(part: 'message' | 'entry', count: number): void;
  /**
   * A connection that had been up was lost: of the service to a broker or a rosbridge server, or of the relay to its
   * broker.
   */
  linkLost(link: 'mqtt' | 'rosbridge' | 'relay'): void;
  /** The relay stopped its robot because its broker was gone. */
  linkLossStop(): void;
  /** A command was refused at the robot by its times: sent in the future of its clock, or late by it. */
  clockRefusal(reason: 'from_the_future' | 'late'): void;
  /** A call to a robot has begun (1) or ended (-1). */
  robotCalls(change: 1 | -1): void;
}

/** How clients receive events. */
export type EventFace = 'websocket' | 'sse' | 'dialect';

/** What is counted about events. */
export interface EventMetrics {
  /** A client has connected (1) or gone (-1). */
  eventConnections(face: EventFace, change: 1 | -1): void;
  /** Events were handed to a client's connection. */
  eventsSent(face: EventFace, count: number): void;
  /**
   * An event did not reach a slow consumer since a newer one took its place (`coalesced`), or a consumer was given up
   * since too much waited for it (`overflow`); or a client of the events port asked for what it may not have, or sent
   * what is no frame (`ignored`).
   */
  eventsDropped(reason: 'coalesced' | 'overflow' | 'ignored'): void;
}

/** What the service counts. Implementations must never throw: counting is not worth a failed request. */
export interface Metrics extends RobotMetrics, EventMetrics {
  /** One answered request; `route` is the pattern of the route table, never a URL. */
  request(route: string, method: string, status: number, seconds: number): void;
  tokenMinted(kind: 'auth' | 'refresh' | 'publisher'): void;
  authFailure(code: string): void;
  robotRoundTrip(command: string, outcome: 'ok' | 'failed', seconds: number): void;
  /** Something was refused, or taken back, because a budget is used up. */
  budgetExceeded(budget: Budget): void;
  /** The Prometheus text exposition and its media type. */
  exposition(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Counts nothing: for Lambda functions, which the platform counts, and for unit tests. */
export const NO_METRICS: Metrics = {
  request() {},
  tokenMinted() {},
  authFailure() {},
  robotRoundTrip() {},
  budgetExceeded() {},
  robotStop() {},
  motionRefusal() {},
  jogFrame() {},
  jogEnd() {},
  robotIdConflict() {},
  presenceFaults() {},
  linkLost() {},
  linkLossStop() {},
  clockRefusal() {},
  robotCalls() {},
  eventConnections() {},
  eventsSent() {},
  eventsDropped() {},
  exposition: async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: '' }),
};
