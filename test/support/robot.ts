import type { Caller } from '../../functions/shared/access.ts';
import { Fence } from '../../functions/shared/control/fence.ts';
import { ServiceError } from '../../functions/shared/errors.ts';
import { tokens } from '../../functions/shared/identity/ports.ts';
import type { Tokens } from '../../functions/shared/identity/tokens.ts';
import type { JsonValue } from '../../functions/shared/kit/json.ts';
import { give, type Ports } from '../../functions/shared/port.ts';
import {
  openSimulatedRobot,
  type SimulatedRobot,
} from '../../functions/shared/robot-link/adapters/simulated/simulated-robot.ts';
import {
  type CommandKind,
  type CommandSpec,
  Declined,
  Replaced,
  type RobotAnswer,
  type RobotLink,
  type SendOptions,
  Unanswered,
} from '../../functions/shared/robot-link/port.ts';
import { robotLink } from '../../functions/shared/robot-link/ports.ts';
import { testConfig, testPorts } from './world.ts';

/** Tokens that are nothing but the name of a client: `Bearer alice` is alice. `expired-alice` ran out just now. */
export const nameTokens: Tokens = {
  mint: () => Promise.reject(new Error('no token is minted here')),
  verify(token, use = 'request'): Caller {
    if (token.startsWith('expired-') && use !== 'stop') {
      throw new ServiceError('token_expired', { detail: 'The token has expired.' });
    }
    return { clientId: token.replace('expired-', ''), accessLevel: 'USER', keyId: 'key-1', mayPublish: false };
  },
};

interface Scene {
  readonly link: RobotLink;
  readonly clock?: () => number;
  readonly settings?: Record<string, string>;
  readonly inCloud?: boolean;
}

/** Ports of the commands area: this link, name tokens, and the default configuration. */
export function commandPorts({ link, clock = Date.now, settings = {}, inCloud = false }: Scene): Ports {
  const config = { ...testConfig(settings), inCloud };
  return testPorts({ config, clock, given: [give(tokens, nameTokens), give(robotLink, link)] });
}

/** A clock that moves only when it is told to. */
export function handClock(start = 1_000_000): { now: () => number; advance(ms: number): void } {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}

/** Sends a command to a robot as one client, without the service around it. */
export function asClient(robot: SimulatedRobot, clientId: string) {
  const sender = { clientId, accessLevel: 'USER', keyId: `key-${clientId}` } as const;
  return (
    command: string,
    value?: JsonValue,
    signal = new AbortController().signal,
  ): JsonValue | Promise<JsonValue> => {
    const options: SendOptions = { deadline: Number.POSITIVE_INFINITY, signal };
    const answer = robot.send(value === undefined ? { command, sender } : { command, value, sender }, options);
    return answer instanceof Promise ? answer.then(plain) : plain(answer);
  };
}

/** The result alone, whatever the robot says besides. */
export function plain(answer: RobotAnswer): JsonValue {
  if (answer instanceof Replaced) return plain(answer.answer);
  return answer instanceof Declined || answer instanceof Unanswered ? answer.result : answer;
}

/** A robot with one command of each kind, named after it, whose answers a test decides. */
export function scriptedLink(answer: RobotLink['send'], marks: Partial<CommandSpec> = {}): RobotLink {
  const kinds: readonly CommandKind[] = ['coordinates', 'str', 'int', 'float', 'bool', 'dict', 'list', 'none'];
  const specs = kinds.map(
    (kind): CommandSpec => ({ name: `a_${kind}`, kind, title: kind, effect: 'action', ...marks }),
  );
  const catalogue = new Map(specs.map((spec) => [spec.name, spec]));
  return {
    kind: 'simulated',
    fence: new Fence(),
    connected: () => true,
    catalogue: () => catalogue,
    send: answer,
    stop: () => ({ stopped: true }),
    close() {},
  };
}

export { openSimulatedRobot };
