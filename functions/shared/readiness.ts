import type { RobotDatabase } from './adapters/database/port.ts';
import type { KeyStore } from './adapters/key-store/port.ts';
import type { RobotLink } from './adapters/robot-link/port.ts';
import type { SigningKeys } from './adapters/signing-keys/port.ts';
import { BUILT_AT } from './build-info.ts';

/** One part of the service that has to work before requests make sense. */
export interface ReadinessCheck {
  /** Name of the part in the answer of /health/ready. */
  readonly part: string;
  /** What anybody may read when the part is not ready: no path, no secret. */
  readonly reason: string;
  /** Why the part is not ready, for the log; undefined when it is. A throw says the same. */
  readonly problem: () => Promise<string | undefined>;
  /** What does not keep the part from being ready, and anybody may read. */
  readonly notes?: () => Promise<readonly string[]>;
}

/** The Unix socket for clients on the machine itself. */
export interface LocalSocket {
  /** Why there is none, or undefined. */
  problem(): string | undefined;
}

/** The parts, opened when they are first asked for. */
export interface ReadinessParts {
  /** In a fleet the connection to all of them. */
  readonly robotLink: () => Promise<Pick<RobotLink, 'connected' | 'problem' | 'notes'>>;
  readonly database: () => Promise<RobotDatabase>;
  readonly signingKeys: () => Promise<SigningKeys>;
  readonly keyStore: () => Promise<KeyStore>;
  readonly localSocket: () => Promise<LocalSocket>;
  /** Why the folder of the skills cannot be written, or undefined. */
  readonly skillsFolderProblem: () => Promise<string | undefined>;
  readonly clock: () => number;
}

/** The checks behind /health/ready. A part that is added to the service adds its check here. */
export function readinessChecks(parts: ReadinessParts): readonly ReadinessCheck[] {
  return [
    {
      part: 'robot',
      reason:
        'No robot is connected, or it must not be used. GET /status says why; SERVICE_ROBOT_URL says how it is reached.',
      problem: async () => {
        const link = await parts.robotLink();
        return link.connected() ? link.problem?.() : 'the link is down';
      },
      notes: async () => (await parts.robotLink()).notes?.() ?? [],
    },
    {
      part: 'database',
      reason: 'The database cannot be used. The log of the service says why, and what to do.',
      problem: async () => (await parts.database()).problem(),
    },
    {
      part: 'signing_key',
      reason: 'The signing key of the tokens cannot be read. The log of the service says why.',
      problem: async () => (await parts.signingKeys()).problem(),
    },
    {
      part: 'keys',
      reason: 'The API keys cannot be read; the last good set stays in use. The log of the service says why.',
      problem: async () => (await parts.keyStore()).problem(),
    },
    {
      part: 'socket',
      reason:
        'The Unix socket (SERVICE_SOCKET_PATH) could not be made; TCP works. The log of the service says who holds its place. Restart the service when it is free.',
      problem: async () => (await parts.localSocket()).problem(),
    },
    {
      part: 'skills_folder',
      reason: 'The folder of the skills (SERVICE_SKILLS_DIR) cannot be written.',
      problem: parts.skillsFolderProblem,
    },
    {
      part: 'clock',
      reason: 'The clock stands before the day this service was built. Set the time of this machine.',
      problem: async () => (parts.clock() < BUILT_AT ? 'the clock is wrong' : undefined),
    },
  ];
}
