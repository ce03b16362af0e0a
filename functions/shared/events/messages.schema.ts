import * as z from 'zod';
import { ACCESS_LEVELS } from '../access.ts';
import { Jog, JogAck } from '../control/jog.schema.ts';

/** Most topics of one connection. */
export const MAX_TOPICS = 256;
const MAX_NAME_LENGTH = 300;
const MAX_TOKEN_LENGTH = 4096;
const MAX_ID_LENGTH = 128;

const topics = z.array(z.string().max(MAX_NAME_LENGTH)).min(1).max(MAX_TOPICS);

export const Authenticate = z
  .strictObject({ type: z.literal('authenticate'), token: z.string().min(1).max(MAX_TOKEN_LENGTH) })
  .describe('The first message unless the handshake had an Authorization header; later a refreshed token.')
  .meta({ id: 'Authenticate' });
export const Subscribe = z
  .strictObject({
    type: z.literal('subscribe'),
    topics,
    after: z
      .string()
      .max(MAX_ID_LENGTH)
      .exactOptional()
      .describe('id of the last event that was seen: what was missed since then is replayed'),
  })
  .meta({ id: 'Subscribe' });
export const Unsubscribe = z.strictObject({ type: z.literal('unsubscribe'), topics }).meta({ id: 'Unsubscribe' });
export const Ping = z.strictObject({ type: z.literal('ping') }).meta({ id: 'Ping' });

/** What clients may send over the WebSocket. */
export const CLIENT_MESSAGES = { Authenticate, Subscribe, Unsubscribe, Ping, Jog };
/** Those of them that are worked off one after the other. */
export const ClientMessage = z.discriminatedUnion('type', [Authenticate, Subscribe, Unsubscribe, Ping]);
export type ClientMessage = z.infer<typeof ClientMessage>;

const position = z.string().describe('id of the newest event, `<boot>-<n>`');

export const Authenticated = z
  .object({
    type: z.literal('authenticated'),
    expires_at: z.iso.datetime().nullable().describe('null over the Unix socket, where no token is needed'),
    access_level: z.enum(ACCESS_LEVELS),
  })
  .meta({ id: 'Authenticated' });
export const Subscribed = z
  .object({ type: z.literal('subscribed'), topics: z.array(z.string()), position })
  .meta({ id: 'Subscribed' });
export const Snapshot = z
  .object({
    type: z.literal('snapshot'),
    topic: z.string(),
    data: z.unknown().describe('null where a topic has nothing to show'),
  })
  .meta({ id: 'Snapshot' });
export const EventMessage = z
  .object({ type: z.literal('event'), event: z.unknown().describe('a CloudEvent of one of the topics') })
  .meta({ id: 'EventMessage' });
export const Gap = z
  .object({
    type: z.literal('gap'),
    from: z.string().nullable().describe('the id that was asked for; null after a restart'),
    to: position,
    topics: z.array(z.string()).describe('where events may have been missed; each gets a snapshot'),
  })
  .meta({ id: 'Gap' });
export const TokenExpiring = z
  .object({ type: z.literal('token_expiring'), expires_at: z.iso.datetime() })
  .meta({ id: 'TokenExpiring' });
export const ErrorMessage = z
  .object({
    type: z.literal('error'),
    code: z.string().describe('as in the answers to HTTP requests'),
    detail: z.string(),
    topic: z.string().exactOptional(),
  })
  .meta({ id: 'ErrorMessage' });
export const Pong = z.object({ type: z.literal('pong') }).meta({ id: 'Pong' });

/** What the service sends over the WebSocket. */
export const SERVER_MESSAGES = {
  Authenticated,
  Subscribed,
  Snapshot,
  EventMessage,
  Gap,
  TokenExpiring,
  ErrorMessage,
  Pong,
  JogAck,
};
export type ServerMessage = z.infer<
  | typeof Authenticated
  | typeof Subscribed
  | typeof Snapshot
  | typeof Gap
  | typeof TokenExpiring
  | typeof ErrorMessage
  | typeof Pong
  | typeof JogAck
>;
