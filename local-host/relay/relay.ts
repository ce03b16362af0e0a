import { randomBytes } from 'node:crypto';
import type { CommandAnswer } from '../../functions/commands/command-answer.ts';
import { stop } from '../../functions/commands/stop.ts';
import { Broker } from '../../functions/shared/adapters/mqtt/broker.ts';
import { brokerAddress, ROBOT_ID } from '../../functions/shared/adapters/mqtt/broker-address.ts';
import type { Message } from '../../functions/shared/adapters/mqtt/message.ts';
import {
  type AnswerMessage,
  CommandMessage,
  type PresenceMessage,
  type Ran,
  REFUSALS,
  read,
  StopMessage,
} from '../../functions/shared/adapters/robot-link/mqtt/messages.ts';
import { failed } from '../../functions/shared/adapters/robot-link/mqtt/outcome.ts';
import { topicsOf } from '../../functions/shared/adapters/robot-link/mqtt/topics.ts';
import type { Sender, StopReport } from '../../functions/shared/adapters/robot-link/port.ts';
import { ConfigError } from '../../functions/shared/config.ts';
import type { ServiceError } from '../../functions/shared/errors.ts';
import type { JsonValue } from '../../functions/shared/json.ts';
import type { Logger } from '../../functions/shared/logger.ts';
import { auditRelayed } from './audit-relayed.ts';
import { LINK_LOSS_MS, LinkWatch } from './link-watch.ts';
import { outcomeOf, type Relaying, runRelayed } from './relayed-command.ts';

const SETTING = 'SERVICE_RELAY_URL';
/** How often the robot looks whether it still has a robot to speak for, and says that it lives; how long that counts. */
const LOOK_EVERY_MS = 1_000;
const SAY_EVERY_MS = 15_000;
const SAID_FOR_SECONDS = 45;
const LONGEST_ANSWER = 1024 * 1024; // characters

export interface Relay {
  /** Leaves the broker; the robot counts as gone at once. */
  close(): Promise<void>;
}

/**
 * Joins the broker of SERVICE_RELAY_URL as the robot SERVICE_ROBOT_ID and answers there over this machine's own link.
 * Without the broker the robot goes on as before; it is joined again as soon as it can be.
 * @throws ConfigError when the settings cannot be used.
 */
export function openRelay(parts: Relaying & { readonly logger: Logger }): Relay {
  const { config, robotLink, logger, clock } = parts;
  const { SERVICE_ROBOT_ID: robotId, SERVICE_RELAY_URL: url = '' } = config;
  const address = brokerAddress(url, SETTING);
  if (address.robotId !== undefined) throw new ConfigError(`${SETTING}: it names no robot; SERVICE_ROBOT_ID does`);
  if (!ROBOT_ID.test(robotId)) {
    throw new ConfigError(`SERVICE_ROBOT_ID: to join a broker it needs 1 to 64 of A-Z a-z 0-9 _ -`);
  }
  const topics = topicsOf(robotId);
  const answers = topics.answersTo('');
  let session = '';
  let said: { readonly online: boolean; readonly fence: number; readonly at: number } | undefined;
  const broker = new Broker({
    address,
    // One robot, one id: the broker throws out a second one that says it is this robot.
    clientId: `robot-${robotId}`,
    setting: SETTING,
    logger,
    will: { topic: topics.presence, payload: JSON.stringify({ v: 1, online: false }) },
    topics: () => ({ [topics.stop]: 0, [topics.commands]: 0 }),
    onMessage: hear,
    onUp: () => {
      session = randomBytes(12).toString('base64url');
      announce();
    },
    onDown: () => {
      said = undefined;
    },
  });
  const looking = setInterval(() => {
    if (!broker.up) return;
    const changed = said?.online !== robotLink.connected() || said?.fence !== robotLink.fence.read();
    if (changed || clock() - (said?.at ?? 0) >= SAY_EVERY_MS) announce();
  }, LOOK_EVERY_MS);

  const watch = new LinkWatch({
    broker: () => broker,
    fence: robotLink.fence,
    logger,
    stop: async () => stop(parts),
  });
  const relaying: Relaying = { ...parts, onMotion: (arrivedAt) => watch.moved(arrivedAt) };

  /** Between two looks both the broker and the link may go; then the next look finds that out. */
  function announce(): void {
    try {
      sayPresence();
    } catch (error) {
      logger.warn({ err: error }, 'the presence of the robot could not be said');
    }
  }

  function sayPresence(): void {
    const online = robotLink.connected();
    const fence = robotLink.fence.read();
    const catalogue = () => [...robotLink.catalogue().values()];
    const presence: PresenceMessage = online
      ? {
          v: 1,
          online,
          session,
          catalogue: catalogue(),
          features: ['fence', 'begin_by'],
          fence,
          link_loss_ms: LINK_LOSS_MS,
        }
      : { v: 1, online, reason: 'It has lost the link to its own body.' };
    broker.publish(topics.presence, JSON.stringify(presence), { retain: true, expirySeconds: SAID_FOR_SECONDS });
    said = { online, fence, at: clock() };
  }

  function hear(message: Message): void {
    if (message.topic === topics.stop) hearStop(message);
    else hearCommand(message);
  }

  /** Whatever stands in the message: to stop is never wrong. */
  function hearStop(message: Message): void {
    const asked = read(StopMessage, message.payload);
    void robotLink.fence.advance(asked?.fence ?? 0);
    const answering = new Promise<StopReport>((resolve) => {
      resolve(stop(parts, asked?.sender && senderOf(asked.sender)));
    });
    answering.then(
      () => auditRelayed(parts, asked, { command: 'stop' }),
      (error: unknown) => auditRelayed(parts, asked, { command: 'stop' }, outcomeOf(error, 'maybe')),
    );
    const reporting = answering.then((report) => ({ result: report as JsonValue })); // as: a report is JSON
    conclude(message, reporting, { ran: 'maybe', isStop: true });
    announce();
  }

  function hearCommand(message: Message): void {
    const asked = read(CommandMessage, message.payload);
    if (asked) conclude(message, runRelayed(relaying, asked), { ran: 'maybe' });
    else {
      logger.warn('a message on the topic of the commands is none');
      conclude(message, Promise.reject(failed('validation_failed', 'The message is no command.', 'no')), { ran: 'no' });
    }
  }

  function conclude(
    message: Message,
    answering: Promise<Pick<CommandAnswer, 'result' | 'declined'> | undefined>,
    { ran, isStop = false }: Concluded,
  ): void {
    const { responseTopic, correlation } = message;
    const id = correlation?.toString('utf8') ?? '';
    answering
      .then(
        (answer): AnswerMessage | undefined => {
          if (answer === undefined) return undefined;
          const { result, declined } = answer;
          return { v: 1, id, ok: true, result, ...(declined === undefined ? {} : { declined }) };
        },
        (error: unknown) => refusalOf(outcomeOf(error, ran), id, logger),
      )
      .then((answer) =>
        answer && (isStop || isFenced(answer)) ? { ...answer, fence: robotLink.fence.read() } : answer,
      )
      .then((answer) => {
        // Elsewhere than below its own answers a robot publishes nothing, whoever asks for it.
        if (!answer || !correlation || !responseTopic?.startsWith(answers)) return;
        const text = JSON.stringify(answer);
        const fits = text.length <= LONGEST_ANSWER;
        const tooLong = () =>
          refusalOf(failed('robot_error', 'The answer of the robot is too long.', 'maybe'), id, logger);
        try {
          broker.publish(responseTopic, fits ? text : JSON.stringify(tooLong()), { correlation });
        } catch (error) {
          if (!broker.up || !fits) throw error;
          broker.publish(responseTopic, JSON.stringify(tooLong()), { correlation });
        }
      })
      .catch((error: unknown) => logger.warn({ err: error }, 'an answer could not be sent'));
  }

  return {
    async close() {
      clearInterval(looking);
      watch.close();
      try {
        if (broker.up) broker.publish(topics.presence, JSON.stringify({ v: 1, online: false }), { retain: true });
      } finally {
        await broker.close();
      }
    },
  };
}

interface Concluded {
  /** Whether the command has run when it fails without saying so. */
  readonly ran: Ran;
  readonly isStop?: boolean;
}

/** Refused for its number: whoever sent it goes on from the one in the answer. */
function isFenced(answer: AnswerMessage): boolean {
  return !answer.ok && answer.error.code === 'stopped';
}

function refusalOf(error: ServiceError, id: string, logger: Logger): AnswerMessage {
  const code = REFUSALS.find((known) => known === error.code) ?? 'robot_error';
  const ran: Ran = error.members?.command_ran === 'no' ? 'no' : 'maybe';
  logger.info({ code, ran, err: error.cause }, 'a command through the relay failed');
  return { v: 1, id, ok: false, error: { code, detail: error.message, ran } };
}

function senderOf(sender: NonNullable<StopMessage['sender']>): Sender {
  return { clientId: sender.client_id, accessLevel: sender.access_level, keyId: sender.key_id };
}
