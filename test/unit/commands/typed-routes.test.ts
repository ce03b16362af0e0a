import { afterAll, describe, expect, it } from '@jest/globals';
import { handler as sendBool } from '../../../functions/commands/send-bool.handler.ts';
import { handler as sendCoordinates } from '../../../functions/commands/send-coordinates.handler.ts';
import { handler as sendDict } from '../../../functions/commands/send-dict.handler.ts';
import { handler as sendFloat } from '../../../functions/commands/send-float.handler.ts';
import { handler as sendInt } from '../../../functions/commands/send-int.handler.ts';
import { handler as sendList } from '../../../functions/commands/send-list.handler.ts';
import { handler as sendStr } from '../../../functions/commands/send-str.handler.ts';
import type { Endpoint } from '../../../functions/shared/pipeline/endpoint.ts';
import type { RobotCommand } from '../../../functions/shared/robot-link/port.ts';
import { invoke } from '../../support/invoke.ts';
import { commandPorts, openSimulatedRobot, scriptedLink } from '../../support/robot.ts';

const HANDLERS: Readonly<Record<string, Endpoint>> = {
  coordinates: sendCoordinates,
  str: sendStr,
  int: sendInt,
  float: sendFloat,
  bool: sendBool,
  dict: sendDict,
  list: sendList,
};

const sent: RobotCommand[] = [];
const scripted = commandPorts({
  link: scriptedLink((command) => {
    sent.push(command);
    return 'done';
  }),
});
const robot = openSimulatedRobot(Date.now);
const simulated = commandPorts({ link: robot });
afterAll(() => robot.close());

function post(kind: string, body: unknown, ports = scripted, token = 'alice') {
  const handler = HANDLERS[kind];
  if (!handler) throw new Error(`no route for ${kind}`);
  return invoke(handler, { ports, method: 'POST', headers: { authorization: `Bearer ${token}` }, body });
}

/** A body as JSON text, for values that JavaScript cannot write. */
const raw = (kind: string, value: string) => `{"command":"a_${kind}","value":${value}}`;

describe('A typed route', () => {
  it.each<[kind: string, text: string, arrives: unknown]>([
    ['coordinates', '{"x":1,"y":-2.5,"z":0,"theta":90}', { x: 1, y: -2.5, z: 0, theta: 90 }],
    ['coordinates', '{"y":1}', { x: 0, y: 1, z: 0, theta: 0 }],
    ['coordinates', '{}', { x: 0, y: 0, z: 0, theta: 0 }],
    ['str', '""', ''],
    ['str', '"rune \\u00e9 🤖"', 'rune é 🤖'],
    ['int', '0', 0],
    ['int', '-7', -7],
    ['int', '9007199254740991', Number.MAX_SAFE_INTEGER],
    ['float', '1.5', 1.5],
    ['float', '2', 2],
    ['float', '1e16', 1e16],
    ['float', '-1e-7', -1e-7],
    ['bool', 'false', false],
    ['dict', '{"name":"x","deep":{"list":[1,null,"a",{}]}}', { name: 'x', deep: { list: [1, null, 'a', {}] } }],
    ['dict', '{}', {}],
    ['list', '[1,"a",null,[true]]', [1, 'a', null, [true]]],
    ['list', '[]', []],
  ])('for %s accepts %s, sends it on behalf of the caller and echoes it', async (kind, text, arrives) => {
    const answer = await post(kind, raw(kind, text));
    expect(answer).toMatchObject({ status: 200, body: { command: `a_${kind}`, value: arrives, result: 'done' } });
    expect(sent.at(-1)).toEqual({
      command: `a_${kind}`,
      value: arrives,
      sender: { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' },
      arrivedAt: expect.any(Number),
    });
  });

  it.each<[kind: string, text: string, pointer: string]>([
    ['coordinates', '{"x":null}', '/value/x'],
    ['coordinates', '{"w":1}', '/value/w'],
    ['coordinates', '{"x":"1"}', '/value/x'],
    ['coordinates', '{"x":true}', '/value/x'],
    ['coordinates', '{"theta":1e400}', '/value/theta'],
    ['coordinates', '{"x":9007199254740993}', '/value/x'],
    ['coordinates', '{"theta":-12345678901234567890}', '/value/theta'],
    ['coordinates', '[1,2]', '/value'],
    ['coordinates', 'null', '/value'],
    ['str', '1', '/value'],
    ['str', 'null', '/value'],
    ['str', '["a"]', '/value'],
    ['str', `"${'a'.repeat(16_385)}"`, '/value'],
    ['int', '"1"', '/value'],
    ['int', '1.5', '/value'],
    ['int', 'true', '/value'],
    ['int', '9007199254740992', '/value'],
    ['int', '-9007199254740993', '/value'],
    ['int', '1e400', '/value'],
    ['int', 'null', '/value'],
    ['float', '"1.5"', '/value'],
    ['float', 'false', '/value'],
    ['float', '1e400', '/value'],
    ['float', '9007199254740993', '/value'],
    ['float', '-1e400', '/value'],
    ['float', 'null', '/value'],
    ['bool', '1', '/value'],
    ['bool', '"true"', '/value'],
    ['bool', 'null', '/value'],
    ['dict', '[]', '/value'],
    ['dict', '"{}"', '/value'],
    ['dict', 'null', '/value'],
    ['dict', '{"a":{"b":[0,9007199254740993]}}', '/value/a/b/1'],
    ['dict', '{"a":1e400}', '/value/a'],
    ['list', '{}', '/value'],
    ['list', 'null', '/value'],
    ['list', '[[12345678901234567890]]', '/value/0/0'],
  ])('for %s refuses %s and points at %s', async (kind, text, pointer) => {
    const before = sent.length;
    const answer = await post(kind, raw(kind, text));
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer }] } });
    expect(sent).toHaveLength(before);
  });

  it.each(['NaN', 'Infinity', '01', '1.', "'a'", 'undefined'])('reports that %s is not JSON', async (text) => {
    expect(await post('float', raw('float', text))).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
  });

  it.each<[what: string, body: unknown, pointers: string[]]>([
    ['no value', { command: 'a_int' }, ['/value']],
    ['no command', { value: 1 }, ['/command']],
    ['a nameless command', { command: '', value: 1 }, ['/command']],
    ['an endless command', { command: 'a'.repeat(129), value: 1 }, ['/command']],
    ['a command that is no string', { command: 5, value: 1 }, ['/command']],
    ['a further field', { command: 'a_int', value: 1, extra: 1 }, ['/extra']],
    ['a list', [1], ['']],
    ['everything wrong, an unknown command too', { command: 'fly', value: 'x', more: 1 }, ['/value', '/more']],
  ])('refuses a body with %s before it looks for the command', async (_what, body, pointers) => {
    const answer = await post('int', body);
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
  });

  it('asks for a token before it looks at the body', async () => {
    const answer = await invoke(sendInt, { ports: scripted, method: 'POST', body: '{' });
    expect(answer).toMatchObject({ status: 401, body: { code: 'missing_token' } });
  });

  it.each(Object.keys(HANDLERS))('for %s refuses unknown commands and those of another kind', async (kind) => {
    const value = { coordinates: {}, str: '', int: 1, float: 1, bool: true, dict: {}, list: [] }[kind];
    expect(await post(kind, { command: 'fly', value })).toMatchObject({
      status: 404,
      body: { code: 'unknown_command', detail: expect.stringContaining('/commands/') },
    });
    const other = kind === 'str' ? 'bool' : 'str';
    expect(await post(kind, { command: `a_${other}`, value })).toMatchObject({
      status: 422,
      body: {
        code: 'wrong_value_type',
        detail: expect.stringContaining(`POST /api/{version}/${other}/`),
        errors: [{ pointer: '/command' }],
      },
    });
    expect(await post(kind, { command: 'a_none', value })).toMatchObject({
      status: 422,
      body: { code: 'wrong_value_type', detail: expect.stringContaining('GET /api/{version}/get/a_none') },
    });
  });
});

describe('The simulated robot behind the typed routes', () => {
  it.each<[kind: string, command: string, value: unknown, status: number]>([
    ['int', 'sound_level', 0, 200],
    ['int', 'sound_level', 100, 200],
    ['int', 'sound_level', -1, 422],
    ['int', 'sound_level', 101, 422],
    ['float', 'set_robot_max_velocity', 99.5, 200],
    ['float', 'set_robot_max_velocity', 100.01, 422],
    ['float', 'set_robot_max_velocity', -0.01, 422],
    ['list', 'play_sequence', ['wave'], 200],
  ])('answers %s %s %j with %d', async (kind, command, value, status) => {
    const answer = await post(kind, { command, value }, simulated);
    expect(answer.status).toBe(status);
    if (status === 422) {
      expect(answer.body).toMatchObject({
        code: 'validation_failed',
        detail: expect.stringContaining('between 0 and 100 %'),
        errors: [{ pointer: '/value' }],
      });
    }
  });

  it('accepts only names in a sequence', async () => {
    const answer = await post('list', { command: 'play_sequence', value: ['wave', 1, null] }, simulated);
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ pointer: '/value/1' }, { pointer: '/value/2' }] },
    });
  });

  it('starts a mission for the client of the token', async () => {
    const answer = await post('dict', { command: 'skill', value: { name: 'wait', seconds: 5 } }, simulated, 'bob');
    expect(answer.body.result).toEqual({ called: true, msg: expect.any(String) });
    const cancelled = await post('str', { command: 'cancel_skill', value: answer.body.result.msg }, simulated);
    expect(cancelled.body.result).toEqual({ cancelled: true, msg: 'Mission cancelled' });
  });
});
