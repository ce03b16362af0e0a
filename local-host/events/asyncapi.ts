import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ApiDocument } from '../../functions/shared/api-document.ts';
import { BUNDLED, VERSION } from '../../functions/shared/build-info.ts';
import { PublicLeaseHolder } from '../../functions/shared/control/lease.schema.ts';
import * as data from '../../functions/shared/events/data.schema.ts';
import { CLIENT_MESSAGES, SERVER_MESSAGES } from '../../functions/shared/events/messages.schema.ts';
import { specOf, TOPICS, type TopicName } from '../../functions/shared/events/topics.ts';
import { LogEntry } from '../../functions/shared/log-entry.schema.ts';
import { AuditEntry } from '../../functions/shared/observability/audit-entry.schema.ts';

type Json = Record<string, unknown>;

const ADDRESS = '/api/v2/events';
const UNBUNDLED_VERSION = '0.0.0-dev';

const DESCRIPTION = `What happens on a robot and in its service, as CloudEvents 1.0. A WebSocket on ${ADDRESS} takes the
token of the handshake or of an \`authenticate\` message, then subscriptions. The same path with \`?topics=a,b\` streams the
events of these topics as server-sent events. Messages and events may gain members, and topics may gain events: clients must
ignore what they do not know.`;

const topicNames = Object.keys(TOPICS) as TopicName[]; // as: its own keys

/** The AsyncAPI 3.1 document of the events, from the schemas that the service is written with. */
export function createAsyncApiDocument(): Json {
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Robot Events',
      version: BUNDLED ? VERSION : UNBUNDLED_VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      events: protocolChannel(),
      ...Object.fromEntries(topicNames.map((topic) => [topic, topicChannel(topic)])),
    },
    operations: {
      sendToService: operation('receive', 'events', Object.keys(CLIENT_MESSAGES)),
      receiveFromService: operation('send', 'events', Object.keys(SERVER_MESSAGES)),
      ...Object.fromEntries(topicNames.map((topic) => [`on_${topic}`, topicOperation(topic)])),
    },
    components: {
      messages: { ...protocolMessages(), ...eventMessages() },
      schemas: schemas(),
      securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

/** Its text; made at the first call. */
export function asyncApiDocument(): () => ApiDocument {
  let made: ApiDocument | undefined;
  return () => {
    if (!made) {
      const text = JSON.stringify(createAsyncApiDocument());
      made = { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
    }
    return made;
  };
}

function protocolChannel(): Json {
  const names = [...Object.keys(CLIENT_MESSAGES), ...Object.keys(SERVER_MESSAGES)];
  return {
    address: ADDRESS,
    title: 'The WebSocket',
    description: 'One JSON message in each text frame.',
    messages: Object.fromEntries(names.map((name) => [name, ref('messages', name)])),
    bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
  };
}

function topicChannel(topic: TopicName): Json {
  const { summary, level, latest, parameters = [] } = specOf(topic);
  const name = [topic, ...parameters.map((parameter) => `{${parameter}}`)].join('/');
  const loss = latest ? ' Only the newest event counts: slow clients miss older ones.' : '';
  return {
    address: ADDRESS,
    title: `Topic ${name}`,
    description: `${summary}${loss} Needs access level ${level}${level === 'USER' ? ', which any token has' : ''}.`,
    messages: Object.fromEntries(typesOf(topic).map(([type]) => [type, ref('messages', type)])),
  };
}

function operation(action: 'send' | 'receive', channel: string, messages: readonly string[]): Json {
  return {
    action,
    channel: { $ref: `#/channels/${channel}` },
    messages: messages.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
    security: [{ $ref: '#/components/securitySchemes/bearerAuth' }],
  };
}

function topicOperation(topic: TopicName): Json {
  return operation(
    'send',
    topic,
    typesOf(topic).map(([type]) => type),
  );
}

function protocolMessages(): Json {
  const names = [...Object.keys(CLIENT_MESSAGES), ...Object.keys(SERVER_MESSAGES)];
  return Object.fromEntries(names.map((name) => [name, { name, payload: ref('schemas', name) }]));
}

function eventMessages(): Json {
  const entries = topicNames.flatMap(typesOf);
  return Object.fromEntries(
    entries.map(([type, dataId]) => [
      type,
      { name: type, contentType: 'application/cloudevents+json', payload: cloudEvent(type, dataId) },
    ]),
  );
}

/** The event types of a topic, each with the name of its data's schema. */
function typesOf(topic: TopicName): Array<[type: string, dataId: string]> {
  return Object.entries(specOf(topic).verbs).map(([verb, schema]) => [
    `robot.${topic}.${verb}`,
    String(z.globalRegistry.get(schema)?.id),
  ]);
}

/** CloudEvents 1.0, section 2; a JSON schema and not zod's, since the hub writes events and never reads them. */
function cloudEvent(type: string, dataId: string): Json {
  return {
    type: 'object',
    required: ['specversion', 'id', 'source', 'type', 'time', 'data'],
    properties: {
      specversion: { const: '1.0' },
      id: { type: 'string', description: '`<boot>-<n>`, ascending while the service runs' },
      source: { type: 'string', description: '`/robots/<id>`' },
      type: { const: type },
      subject: { type: 'string' },
      time: { type: 'string', format: 'date-time' },
      data: ref('schemas', dataId),
    },
  };
}

function ref(kind: 'messages' | 'schemas', name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Every schema that has a name, each once. */
function schemas(): Json {
  const registry = z.registry<{ id: string }>();
  const named = [
    ...Object.values(data),
    PublicLeaseHolder,
    LogEntry,
    AuditEntry,
    ...Object.values({ ...CLIENT_MESSAGES, ...SERVER_MESSAGES }),
  ];
  for (const schema of named) {
    if (!(schema instanceof z.ZodType)) continue;
    const id = z.globalRegistry.get(schema)?.id;
    if (id !== undefined) registry.add(schema, { id });
  }
  const made = z.toJSONSchema(registry, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(Object.entries(made.schemas).map(([id, schema]) => [id, withoutIds(schema as Json)])); // as: JSON
}

function withoutIds({ $schema, $id, ...schema }: Json): Json {
  return schema;
}
