import { Shares } from '../../kit/shares.ts';
import {
  CANCELS,
  type RobotAnswer,
  type RobotCommand,
  type RobotLink,
  type Sender,
  type SendOptions,
} from '../port.ts';
import { passThrough } from './pass-through.ts';

/** Commands that wait for their answers at once, of all keys. */
const MAX_UNDER_WAY = 1_000;

/**
 * A link on which no key has all the commands that wait for an answer. Those that are answered at once are not counted,
 * and neither is a stop; cancels have places of their own, so that a key without free places can still cancel. Errors
 * of `send` also: `busy`.
 */
export function sharedOut(link: RobotLink): RobotLink {
  const commands = new Shares(MAX_UNDER_WAY, 'commands');
  const cancels = new Shares(MAX_UNDER_WAY, 'cancels');

  function send(command: RobotCommand, options: SendOptions): RobotAnswer | Promise<RobotAnswer> {
    const leave = (CANCELS.has(command.command) ? cancels : commands).take(command.sender.keyId);
    let answer: RobotAnswer | Promise<RobotAnswer>;
    try {
      answer = link.send(command, options);
    } catch (error) {
      leave();
      throw error;
    }
    if (answer instanceof Promise) return answer.finally(leave);
    leave();
    return answer;
  }

  return passThrough(link, { send, stop: (options: SendOptions, sender?: Sender) => link.stop(options, sender) });
}
