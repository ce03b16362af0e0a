import type { CommandAnswer } from '../../functions/commands/command-answer.ts';
import { stop } from '../../functions/commands/stop.ts';
import { ConfigError } from '../../functions/shared/config.ts';
import type { ServiceError } from '../../functions/shared/errors.ts';
import type { JsonValue } from '../../functions/shared/kit/json.ts';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import { brokerAddress, ROBOT_ID } from '../../functions/shared/robot-link/adapters/broker/broker-address.ts';
import type { Message } from '../../functions/shared/robot-link/adapters/broker/message.ts';
import {
  type AnswerMessage,
  CommandMessage,
  type PresenceMessage,
  type Ran,
  REFUSALS,
  read,
  StopMessage,
} from '../../functions/shared/robot-link/adapters/mqtt/messages.ts';
import { failed } from '../../functions/shared/robot-link/adapters/mqtt/outcome.ts';
import { topicsOf } from '../../functions/shared/robot-link/adapters/mqtt/topics.ts';
import type { Sender, StopReport } from '../../functions/shared/robot-link/port.ts';
import { auditRelayed } from './audit-relayed.ts';
import { BrokerMembership } from './broker-membership.ts';
import { LINK_LOSS_MS, LinkWatchdog } from './link-watchdog.ts';
import { type RelayContext, relayError, runRelayed } from './relayed-command.ts';
import { type MissionSource, ReportPublisher } from './report-publisher.ts';

const SETTING = 'SERVICE_RELAY_URL';
/** How often the state of the robot link is compared with the published presence. */
const PRESENCE_CHECK_MS = 1_000;
/** How often the presence is published if nothing changes, and how long it is valid. */
const PRESENCE_INTERVAL_MS = 15_000;
const PRESENCE_EXPIRY_SECONDS = 45;
const MAX_ANSWER_CHARS = 1024 * 1024;

export interface Relay {
  /** Why this robot stays disconnected from the broker, or undefined. */
  problem(): string | undefined;
  /** Publishes that the robot is offline, and disconnects. */
  close(): Promise<void>;
}

interface RelayParts extends RelayContext {
  readonly logger: Logger;
  /** Source of mission events; absent: they are not published. */
  readonly missions?: MissionSource;
  /** How often to check whether the robot's id is free again after another program took it; for tests. */
  readonly probeIntervalMs?: number;
}

/**
 * Connects to the broker of SERVICE_RELAY_URL as robot SERVICE_ROBOT_ID, and runs the commands that arrive there over
 * this machine's own robot link. Losing the broker does not affect local operation; the relay reconnects by itself.
 * @throws ConfigError when a setting is invalid.
 */
export function openRelay(parts: RelayParts): Relay {
  const { config, robotLink, logger, clock, metrics } = parts;
  const { SERVICE_ROBOT_ID: robotId, SERVICE_RELAY_URL: url = '' } = config;
  const address = brokerAddress(url, SETTING);
  if (address.robotId !== undefined)
    throw new ConfigError(`${SETTING}: must not contain a robot id; set SERVICE_ROBOT_ID instead`);
  if (!ROBOT_ID.test(robotId)) {
    throw new ConfigError('SERVICE_ROBOT_ID: to join a broker it must be 1 to 64 characters of A-Z a-z 0-9 _ -');
  }
  const topics = topicsOf(robotId);
  const answersPrefix = topics.answersTo('');
  let published: { readonly online: boolean; readonly fence: number; readonly at: number } | undefined;
  const membership = new BrokerMembership({
    address,
    robotId,
    setting: SETTING,
    logger,
    refusals: parts.refusals,
    metrics,
    onMessage: handleMessage,
    onJoined: tryPublishPresence,
    onDown: () => {
      published = undefined;
    },
    ...(parts.probeIntervalMs === undefined ? {} : { probeIntervalMs: parts.probeIntervalMs }),
  });
  const presenceTimer = setInterval(() => {
    if (!membership.joined) return;
    const changed = published?.online !== robotLink.connected() || published?.fence !== robotLink.fence.read();
    if (changed || clock() - (published?.at ?? 0) >= PRESENCE_INTERVAL_MS) tryPublishPresence();
  }, PRESENCE_CHECK_MS);

  const watchdog = new LinkWatchdog({
    broker: () => membership.broker,
    fence: robotLink.fence,
    logger,
    metrics,
    stop: async () => stop(parts),
  });
  const reports = new ReportPublisher({
    ...parts,
    broker: () => membership.broker,
    joined: () => membership.joined,
    topics,
  });
  const context: RelayContext = { ...parts, onMotion: (arrivedAt) => watchdog.recordMotion(arrivedAt) };

  /** Broker and robot link can both go down at any moment; the next check publishes again. */
  function tryPublishPresence(): void {
    try {
      publishPresence();
    } catch (error) {
      logger.warn({ err: error }, "could not publish the robot's presence");
    }
  }

  function publishPresence(): void {
    const online = robotLink.connected();
    const fence = robotLink.fence.read();
    const catalogue = () => [...robotLink.catalogue().values()];
    const presence: PresenceMessage = online
      ? {
          v: 1,
          online,
          session: membership.session,
          catalogue: catalogue(),
          features: ['fence', 'begin_by', 'lease', ...(robotLink.emergencyStop?.() ? ['estop'] : [])],
          fence,
          link_loss_ms: LINK_LOSS_MS,
        }
      : { v: 1, online, session: membership.session, reason: 'The service has lost its link to the robot.' };
    membership.broker.publish(topics.presence, JSON.stringify(presence), {
      retain: true,
      expirySeconds: PRESENCE_EXPIRY_SECONDS,
    });
    published = { online, fence, at: clock() };
  }

  function handleMessage(message: Message): void {
    if (message.topic === topics.stop) handleStop(message);
    else handleCommand(message);
  }

  /** Stops even if the message is malformed: a stop is never wrong. */
  function handleStop(message: Message): void {
    const request = read(StopMessage, message.payload);
    void robotLink.fence.advance(request?.fence ?? 0);
    const stopping = new Promise<StopReport>((resolve) => {
      resolve(stop(parts, request?.sender && senderOf(request.sender)));
    });
    stopping.then(
      () => auditRelayed(parts, request, { command: 'stop' }),
      (error: unknown) => auditRelayed(parts, request, { command: 'stop' }, relayError(error, 'maybe').code),
    );
    const outcome = stopping.then((report) => ({ result: report as JsonValue })); // as: a report is JSON
    reply(message, outcome, { ran: 'maybe', isStop: true });
    if (membership.joined) tryPublishPresence();
  }

  function handleCommand(message: Message): void {
    const command = read(CommandMessage, message.payload);
    if (command) reply(message, runRelayed(context, command), { ran: 'maybe' });
    else {
      logger.warn('ignored malformed message on command topic');
      reply(message, Promise.reject(failed('validation_failed', 'The message is not a valid command.', 'no')), {
        ran: 'no',
      });
    }
  }

  function reply(
    message: Message,
    outcome: Promise<(Partial<CommandAnswer> & Pick<CommandAnswer, 'result'>) | undefined>,
    { ran, isStop = false }: ReplyOptions,
  ): void {
    const { responseTopic, correlation } = message;
    const id = correlation?.toString('utf8') ?? '';
    outcome
      .then(
        (answer): AnswerMessage | undefined => {
          if (answer === undefined) return undefined;
          const { ok, ...members } = answer;
          return { v: 1, id, ok: true, ...members, ...(ok === null ? { unanswered: true } : {}) };
        },
        (error: unknown) => errorAnswer(relayError(error, ran), id, logger),
      )
      .then((answer) =>
        answer && (isStop || isFenced(answer)) ? { ...answer, fence: robotLink.fence.read() } : answer,
      )
      .then((answer) => {
        // A robot publishes answers only below its own answer topic, whatever response topic a message asks for.
        if (!answer || !correlation || !responseTopic?.startsWith(answersPrefix)) return;
        const { broker } = membership;
        const text = JSON.stringify(answer);
        const fits = text.length <= MAX_ANSWER_CHARS;
        const tooLong = () =>
          errorAnswer(failed('robot_error', "The robot's answer is too long.", 'maybe'), id, logger);
        try {
          broker.publish(responseTopic, fits ? text : JSON.stringify(tooLong()), { correlation });
        } catch (error) {
          if (!broker.up || !fits) throw error;
          broker.publish(responseTopic, JSON.stringify(tooLong()), { correlation });
        }
      })
      .catch((error: unknown) => logger.warn({ err: error }, 'could not send an answer'));
  }

  return {
    problem: () => membership.problem(),
    async close() {
      clearInterval(presenceTimer);
      watchdog.close();
      reports.close();
      const { broker, joined, session } = membership;
      try {
        const offline = { v: 1, online: false, session };
        if (joined) broker.publish(topics.presence, JSON.stringify(offline), { retain: true });
      } finally {
        await membership.close();
      }
    },
  };
}

interface ReplyOptions {
  /** Whether the command ran, if its error does not say. */
  readonly ran: Ran;
  readonly isStop?: boolean;
}

/** Rejected because of its fence number: the sender continues from the number in the answer. */
function isFenced(answer: AnswerMessage): boolean {
  return !answer.ok && answer.error.code === 'stopped';
}

function errorAnswer(error: ServiceError, id: string, logger: Logger): AnswerMessage {
  const code = REFUSALS.find((known) => known === error.code) ?? 'robot_error';
  const ran: Ran = error.members?.command_ran === 'no' ? 'no' : 'maybe';
  logger.info({ code, ran, err: error.cause }, 'a relayed command failed');
  return { v: 1, id, ok: false, error: { code, detail: error.message, ran } };
}

function senderOf(sender: NonNullable<StopMessage['sender']>): Sender {
  return { clientId: sender.client_id, accessLevel: sender.access_level, keyId: sender.key_id };
}
