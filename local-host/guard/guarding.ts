import { performance } from 'node:perf_hooks';
import { stop } from '../../functions/commands/stop.ts';
import { RECENT_TOKEN_SECONDS } from '../../functions/shared/access.ts';
import type { Config } from '../../functions/shared/config.ts';
import type { JogController } from '../../functions/shared/control/jog-controller.ts';
import type { LeaseRegister } from '../../functions/shared/control/lease-register.ts';
import type { MotionGuard } from '../../functions/shared/control/motion-guard.port.ts';
import { fence, jogs, leases } from '../../functions/shared/control/ports.ts';
import { keyStore, revocations, signingKeys } from '../../functions/shared/identity/ports.ts';
import { codeOf } from '../../functions/shared/kit/error-code.ts';
import type { Ports } from '../../functions/shared/port.ts';
import { robotLink } from '../../functions/shared/robot-link/ports.ts';
import { FenceFile } from './fence-file.ts';
import { GuardClient } from './guard-client.ts';
import { openGuardFolder } from './guard-folder.ts';
import { GuardProgram } from './guard-program.ts';
import { type Arrivals, GuardStops } from './guard-stops.ts';
import { guardedRobot } from './guarded-robot.ts';
import { type Hold, type Identity, monotonicMs, type StopAddresses } from './messages.ts';
import { actRecorder } from './record-act.ts';

/** How often the word of the guard is looked at while nothing moves: what runs has to end. */
const LOOK_MS = 100;
/** How long after the start a guard may be missing without a word. */
const START_MS = 5_000;
/**
 * A guard that has given no sign for so long is replaced, as systemd does with one of its own (WatchdogSec). Time in
 * which this process did not run itself does not count: then the guard is the one that still stops the robot.
 */
const HUNG_MS = 10_000;

/** The guard, as the service sees it. */
export interface Guarding {
  /** Where stop is served besides the service itself; null: nowhere. */
  addresses(): StopAddresses | null;
  /** Why the robot could not be stopped without the service, or undefined. */
  problem(): string | undefined;
  /** Whether the guard has given a sign within the last second; jog needs it. */
  isLiving(): boolean;
  /** Whether both have opened the file of the fence, and the guard is living. */
  isFenced(): boolean;
  /** Tells the guard at once what must not go on without this process. */
  announce(): void;
  /** A planned end; also of a guard that this process has started. */
  close(): Promise<void>;
}

/**
 * Shares the fence with a guard, and tells it what it has to know. Starts one unless SERVICE_GUARD_DIR says that
 * somebody else does. Neither has to succeed: the service works without.
 * @param environment that of a guard to be started; undefined: none is.
 * @param arrivals where requests begin.
 */
export async function startGuarding(
  ports: Ports,
  environment: NodeJS.ProcessEnv | undefined,
  arrivals: Arrivals,
): Promise<Guarding | undefined> {
  const { config, logger } = ports;
  const startsGuard = config.SERVICE_GUARD_DIR === undefined;
  if (config.stopServer !== 'guard' || (startsGuard && environment === undefined)) return undefined;
  let shared: { readonly socket: string; readonly file: FenceFile };
  try {
    const { fence: fencePath, socket } = openGuardFolder(config);
    shared = { socket, file: new FenceFile(fencePath, 'main') };
  } catch (error) {
    logger.error({ err: error }, 'cannot share the fence with a guard; the robot has none');
    return withoutGuard(error);
  }
  const { socket, file } = shared;
  const register = await ports.get(leases);
  const jogging = await ports.get(jogs);
  const sharedFence = await ports.get(fence);
  const link = await ports.get(robotLink);
  const stops: GuardStops = new GuardStops({
    file,
    fence: sharedFence,
    logger,
    holdMs: config.SERVICE_STOP_HOLD_MS,
    monotonic: () => performance.now(),
    isGuardThere: () => client.isThere,
    arrivals,
    // Not within the command that has found it: what that waits for ends with this stop.
    onStop: (sender) => void setImmediate(() => stopHere(sender)),
  });

  const stopHere = (sender: Parameters<typeof stop>[1]) => {
    logger.warn({ client_id: sender?.clientId }, 'the guard has stopped the robot');
    Promise.resolve()
      .then(() => stop({ robotLink: link, config, clock: ports.clock }, sender))
      .catch((error: unknown) => logger.warn({ err: error }, 'the robot did not confirm the stop of the guard here'));
  };

  const identity = await identityOf(ports);
  const client: GuardClient = new GuardClient({
    path: socket,
    logger,
    robot: guardedRobot(config),
    identity,
    holds: () => holdsOf(register, jogging),
    onStop: (word, sender) => stops.heard(word, sender),
    onAct: await actRecorder(ports),
  });
  sharedFence.shareWith(stops);
  const program = startsGuard && environment ? new GuardProgram(environment, logger) : undefined;
  const startedAt = performance.now();
  let lookedAt = startedAt;
  let silentMs = 0;
  const looking = setInterval(() => {
    stops.look();
    const now = performance.now();
    silentMs = client.isLiving ? 0 : silentMs + Math.min(now - lookedAt, 2 * LOOK_MS);
    lookedAt = now;
    if (silentMs < HUNG_MS) return;
    silentMs = 0;
    program?.replace();
  }, LOOK_MS).unref();
  return {
    addresses: () => client.addresses ?? null,
    problem() {
      if (client.isLiving) return client.problem;
      if (performance.now() - startedAt < START_MS) return undefined;
      return 'the guard gives no sign of life';
    },
    isLiving: () => client.isLiving,
    isFenced: () => client.isLiving && file.isOpenedBy('guard'),
    announce: () => client.announce(),
    async close() {
      clearInterval(looking);
      client.close();
      await program?.close();
      file.close();
    },
  };
}

/** What there is where no guard can be had. */
function withoutGuard(error: unknown): Guarding {
  const reason = codeOf(error) ?? String(error);
  const why = `There is no guard: the file that it shares with the service cannot be made (${reason}). Look whether /dev/shm or SERVICE_GUARD_DIR is full or not writable, and restart the service.`;
  return {
    addresses: () => null,
    problem: () => why,
    isLiving: () => false,
    isFenced: () => false,
    announce: () => undefined,
    close: async () => undefined,
  };
}

/** The guard as those parts see it that are opened before it is; where none is started, the robot needs none. */
export function guardOfMotion({ stopServer }: Config, guarding: () => Guarding | undefined): MotionGuard {
  return {
    get isLiving() {
      return guarding()?.isLiving() ?? true;
    },
    get isFenced() {
      return guarding()?.isFenced() ?? (stopServer === 'service' ? true : undefined);
    },
    announce: () => guarding()?.announce(),
  };
}

/** What ends with a lease lasts as long as that is kept; a jog until its deadline. */
function holdsOf(register: LeaseRegister, jogging: JogController): readonly Hold[] {
  const offset = monotonicMs() - performance.now();
  const hold = (kind: Hold['kind'], until: number | undefined): Hold[] =>
    until === undefined ? [] : [{ kind, until: Math.round(until + offset) }];
  return [...hold('lease', register.motionUntil()), ...hold('jog', jogging.motionUntil())];
}

async function identityOf(ports: Ports): Promise<() => Identity> {
  const keys = await ports.get(signingKeys);
  const store = await ports.get(keyStore);
  const revoked = await ports.get(revocations);
  return () => ({
    keys: keys.published(ports.clock() - RECENT_TOKEN_SECONDS * 1000),
    api_keys: store.list().map(({ id, level, revoked_at, robots, expires_at }) => ({
      id,
      level,
      revoked: revoked_at !== null,
      ...(robots && { robots }),
      ...(expires_at !== undefined && { expires_at }),
    })),
    socket_generation: revoked.socketGeneration(),
  });
}
