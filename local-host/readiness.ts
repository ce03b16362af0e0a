import type { RobotDatabase } from '../functions/database/port.ts';
import { database } from '../functions/database/ports.ts';
import { BUILT_AT } from '../functions/shared/build-info.ts';
import type { KeyStore } from '../functions/shared/identity/key-store.port.ts';
import { keyStore, signingKeys } from '../functions/shared/identity/ports.ts';
import type { SigningKeys } from '../functions/shared/identity/signing-keys.port.ts';
import { folderProblem, storageProblem } from '../functions/shared/kit/files/folder-problem.ts';
import type { Ports } from '../functions/shared/port.ts';
import type { RobotLink } from '../functions/shared/robot-link/port.ts';
import { robotLink, robots } from '../functions/shared/robot-link/ports.ts';
import type { ReadinessCheck } from '../functions/system/status/readiness.ts';

/** The Unix socket for clients on the same machine. */
interface LocalSocket {
  /** Why it could not be opened, or undefined. */
  problem(): string | undefined;
  /** The process or user that has its path, in words that anybody may read; undefined when nobody does. */
  owner(): string | undefined;
}

/** The port for the vendor's client. */
export interface EventsPort {
  /** Why it could not be opened, or undefined. */
  problem(): string | undefined;
}

/** The TLS listener with a certificate that the service makes for itself. */
export interface OwnTls {
  /** Why it is closed, or its certificate was not renewed, in words that anybody may read; or undefined. */
  problem(): string | undefined;
}

/** The robot's connection to the broker of SERVICE_RELAY_URL. */
interface RelayState {
  /** Why this robot stays disconnected, or undefined. */
  problem(): string | undefined;
}

/** What stops the robot without the service. */
interface GuardState {
  /** Why it could not, or undefined. */
  problem(): string | undefined;
}

/** The parts that are checked; each is opened on first use. */
export interface ReadinessParts {
  /** In a fleet, the connection to all robots. */
  readonly robotLink: () => Promise<Pick<RobotLink, 'connected' | 'problem' | 'notes'>>;
  readonly database: () => Promise<RobotDatabase>;
  readonly signingKeys: () => Promise<SigningKeys>;
  readonly keyStore: () => Promise<KeyStore>;
  readonly localSocket: LocalSocket;
  readonly eventsPort: EventsPort;
  readonly tls: OwnTls;
  readonly relay: RelayState;
  readonly guard: GuardState;
  /** Why the skills folder is not writable, or undefined. */
  readonly skillsFolderProblem: () => Promise<string | undefined>;
  /** Why a disk of the service takes no more data, or undefined. */
  readonly storageProblem: () => Promise<string | undefined>;
  readonly clock: () => number;
}

/** Takes the parts from the ports, which may be created later, and from the host itself. */
export function readinessParts(
  ports: () => Ports,
  host: Pick<ReadinessParts, 'localSocket' | 'eventsPort' | 'tls' | 'relay' | 'guard'>,
): ReadinessParts {
  return {
    ...host,
    robotLink: () => (ports().config.fleet ? ports().get(robots) : ports().get(robotLink)),
    database: () => ports().get(database),
    signingKeys: () => ports().get(signingKeys),
    keyStore: () => ports().get(keyStore),
    skillsFolderProblem: () => folderProblem(ports().config.SERVICE_SKILLS_DIR),
    storageProblem: async () => storageProblem(ports().config),
    clock: () => ports().clock(),
  };
}

/** The checks behind /health/ready. Add one here for each new part of the service. */
export function readinessChecks(parts: ReadinessParts): readonly ReadinessCheck[] {
  return [
    {
      part: 'robot',
      reason:
        'No robot is connected, or it must not be used. GET /status says why. SERVICE_ROBOT_URL sets its address.',
      problem: async () => {
        const link = await parts.robotLink();
        return link.connected() ? link.problem?.() : 'the link is down';
      },
      notes: async () => (await parts.robotLink()).notes?.() ?? [],
    },
    {
      part: 'database',
      reason:
        'The database is unavailable. The service log says why, and what to do. If its disk is full, free 1 MiB: it then opens by itself within seconds.',
      problem: async () => (await parts.database()).problem(),
    },
    {
      part: 'signing_key',
      reason: 'The token signing key cannot be read. The service log says why.',
      problem: async () => (await parts.signingKeys()).problem(),
    },
    {
      part: 'keys',
      reason: 'The API keys cannot be read; the last valid set stays in use. The service log says why.',
      problem: async () => (await parts.keyStore()).problem(),
    },
    {
      part: 'socket',
      get reason() {
        return socketReason(parts.localSocket.owner());
      },
      problem: async () => parts.localSocket.problem(),
    },
    {
      part: 'events_port',
      reason:
        "The port for the vendor's client (SERVICE_EVENTS_PORT) could not be opened; everything else works. The service log says why. Stop the program that uses it, or set another port, then restart the service.",
      problem: async () => parts.eventsPort.problem(),
    },
    {
      part: 'tls',
      get reason() {
        const problem = parts.tls.problem() ?? '';
        return `TLS (SERVICE_TLS_SELF_SIGNED) is off, or its certificate could not be renewed; everything else works. ${problem}${/[.]$/.test(problem) ? '' : '.'} It is tried again every minute.`;
      },
      problem: async () => parts.tls.problem(),
    },
    {
      part: 'relay',
      reason:
        'Another program uses the id of this robot at the broker of SERVICE_RELAY_URL, so this robot stays disconnected and cannot be stopped from there. Stop the other program, or give it its own SERVICE_ROBOT_ID. This robot then reconnects within a minute.',
      problem: async () => parts.relay.problem(),
    },
    {
      part: 'guard',
      reason:
        'The guard, which stops the robot when the service cannot, is not running or cannot serve stop on its port (SERVICE_STOP_PORT) or socket. Stop on the service works. The log says why; on an installed robot also journalctl -u robot-rest-guard.',
      problem: async () => parts.guard.problem(),
    },
    {
      part: 'skills_folder',
      reason: 'The skills folder (SERVICE_SKILLS_DIR) is not writable.',
      problem: parts.skillsFolderProblem,
    },
    {
      part: 'storage',
      reason:
        'A disk has less free space than SERVICE_MIN_FREE: requests that add data fail with 507; stop, reads and deletes still work. Delete what is not needed.',
      problem: parts.storageProblem,
    },
    {
      part: 'clock',
      reason: 'The clock is earlier than the day this service was built. Set the time of this machine.',
      problem: async () => (parts.clock() < BUILT_AT ? 'the clock is wrong' : undefined),
    },
  ];
}

function socketReason(owner: string | undefined): string {
  const inTheWay = owner === undefined ? 'The service log says what is in the way.' : `Its path belongs to ${owner}.`;
  return `The Unix socket (SERVICE_SOCKET_PATH) could not be created; TCP works. ${inTheWay} Remove that, then restart the service.`;
}
