/**
 * Prints the JSON Schema of the messages between service and robot: `npm run --silent mqtt-schema >
 * docs/mqtt.schema.json`.
 */
import * as z from 'zod';
import {
  AnswerMessage,
  CommandMessage,
  JogMessage,
  PresenceMessage,
  StopMessage,
} from '../functions/shared/robot-link/adapters/mqtt/messages.ts';
import {
  EventMessage,
  JointsMessage,
  StateMessage,
} from '../functions/shared/robot-link/adapters/mqtt/report-messages.ts';

const MESSAGES = [
  CommandMessage,
  StopMessage,
  AnswerMessage,
  PresenceMessage,
  StateMessage,
  JointsMessage,
  EventMessage,
  JogMessage,
];

/** The schema as published in the documentation. */
export function mqttSchema(): string {
  const $defs = Object.assign({}, ...MESSAGES.map((schema) => z.toJSONSchema(schema, { io: 'input' }).$defs));
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Messages between service and robot',
    $defs,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

if (process.argv[1]?.endsWith('mqtt-schema.ts')) process.stdout.write(mqttSchema());
