import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  AnswerMessage,
  CommandMessage,
  PresenceMessage,
  read,
} from '../../../../functions/shared/robot-link/adapters/mqtt/messages.ts';
import { mqttSchema } from '../../../../scripts/mqtt-schema.ts';
import { ROOT } from '../../../support/sources.ts';

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const COMMAND = {
  v: 1,
  id: '3q2-7wEjRWeJq83vASNFZw',
  issued_at: 1,
  deadline: 2,
  command: 'fly',
  sender: { client_id: 'a', access_level: 'USER', key_id: 'k' },
};

describe('MQTT messages', () => {
  it('match their documented schema (npm run --silent mqtt-schema > docs/mqtt.schema.json; npm run format)', () => {
    const written: unknown = JSON.parse(readFileSync(join(ROOT, 'docs/mqtt.schema.json'), 'utf8'));
    expect(written).toEqual(JSON.parse(mqttSchema()));
  });

  it('have the same access rules in the example and in the documentation', () => {
    const rules = (text: string) =>
      text.split('\n').filter((line) => /^(user service$|(topic|pattern) (read|write) )/.test(line));
    const shipped = rules(readFileSync(join(ROOT, 'examples/mosquitto/acl'), 'utf8'));
    expect(rules(readFileSync(join(ROOT, 'docs/mqtt.md'), 'utf8'))).toEqual(shipped);
  });

  it('are a command only when complete and without unknown members', () => {
    expect(read(CommandMessage, bytes(COMMAND))).toEqual(COMMAND);
    const { sender, ...anonymous } = COMMAND;
    const wrong = [
      anonymous,
      { ...COMMAND, v: 2 },
      { ...COMMAND, id: 'short' },
      { ...COMMAND, deadline: '2' },
      { ...COMMAND, deadline: 1.5 },
      { ...COMMAND, priority: 'high' },
      { ...COMMAND, sender: { ...sender, access_level: 'ROOT' } },
      { ...COMMAND, command: '' },
      [COMMAND],
      null,
      'not json',
      '',
      '\u0000',
    ];
    expect(wrong.filter((message) => read(CommandMessage, bytes(message)) !== undefined)).toEqual([]);
  });

  it('map an unknown error code of a robot to robot_error', () => {
    const answer = { v: 1, id: 'x', ok: false, error: { code: 'internal_error', detail: 'd', ran: 'perhaps' } };
    expect(read(AnswerMessage, bytes(answer))).toMatchObject({ error: { code: 'robot_error', ran: 'maybe' } });
  });

  it('accept later additions to presence', () => {
    const presence = { v: 1, online: true, session: 's', catalogue: [], battery: 7 };
    expect(read(PresenceMessage, bytes(presence))).toMatchObject({ online: true });
  });
});
