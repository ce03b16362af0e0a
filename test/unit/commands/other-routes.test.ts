import { afterAll, describe, expect, it } from '@jest/globals';
import { Catalogue } from '../../../functions/commands/command.schema.ts';
import { handler as getCommand } from '../../../functions/commands/get-command.handler.ts';
import { handler as listCommands } from '../../../functions/commands/list-commands.handler.ts';
import { handler as runCommand } from '../../../functions/commands/run-command.handler.ts';
import { handler as stop } from '../../../functions/commands/stop.handler.ts';
import { noRobot } from '../../../functions/shared/robot-link/adapters/none.ts';
import { argsSchema } from '../../../functions/shared/robot-link/command-args.ts';
import { DOCUMENTED_RESULTS } from '../../../functions/shared/robot-link/documented-results.ts';
import { answersHead } from '../../../local-host/http/router.ts';
import { ROUTES } from '../../../local-host/routes.ts';
import { invoke } from '../../support/invoke.ts';
import { asClient, commandPorts, openSimulatedRobot, scriptedLink } from '../../support/robot.ts';

const robot = openSimulatedRobot(Date.now);
const ports = commandPorts({ link: robot });
const headers = { authorization: 'Bearer alice' };
afterAll(() => robot.close());

describe('GET get/{command}', () => {
  const get = (command: string, more = {}) =>
    invoke(getCommand, { ports, params: { version: 'v1', command }, headers: { ...headers, ...more } });

  it('answers a query', async () => {
    const answer = await get('get_language');
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(answer.body).toEqual({ command: 'get_language', result: 'en', ok: true });
  });

  it('runs an action that takes no value', async () => {
    expect((await get('cancel_client_missions')).body.result).toMatchObject({ cancelled_missions: 0 });
  });

  it('names the right route for a command that takes a value', async () => {
    const answer = await get('sound_level');
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: 'wrong_value_type',
        detail: expect.stringContaining('POST /api/{version}/int/'),
        errors: [{ pointer: 'path:command' }],
      },
    });
  });

  it('answers 404 for an unknown command', async () => {
    for (const command of ['fly', '__proto__', 'constructor', '../get_language']) {
      expect(await get(command)).toMatchObject({ status: 404, body: { code: 'unknown_command' } });
    }
    expect(await get('a'.repeat(129))).toMatchObject({ status: 422, body: { errors: [{ pointer: 'path:command' }] } });
  });

  it.each(['sec-purpose', 'purpose'])(
    'refuses a prefetch (%s) of an action, and answers one of a query',
    async (name) => {
      expect(await get('cancel_client_missions', { [name]: 'Prefetch' })).toMatchObject({ status: 403 });
      expect(await get('get_language', { [name]: 'prefetch' })).toMatchObject({ status: 200 });
    },
  );
});

describe('POST commands/{command}/', () => {
  const post = (command: string, body?: unknown) =>
    invoke(runCommand, { ports, method: 'POST', params: { version: 'v2', command }, headers, body });

  it.each<[string, unknown, unknown]>([
    ['go_to_relative', {}, { x: 0, y: 0, z: 0, theta: 0 }],
    ['is_detected', 'rune-1', 'rune-1'],
    ['sound_level', 40, 40],
    ['set_robot_max_velocity', 40, 40],
    ['set_obstacle_avoidance', true, true],
    ['rune_association', { rune: 'rune-1', command: 'wave' }, { rune: 'rune-1', command: 'wave' }],
    ['play_sequence', ['nod'], ['nod']],
  ])('accepts a bare value for %s: %j', async (command, value, echoed) => {
    const answer = await post(command, { value });
    expect(answer).toMatchObject({ status: 200, body: { command, value: echoed } });
    expect(answer.body).toHaveProperty('result');
  });

  it.each([undefined, {}, '{}'])('runs a command without a value for the body %j', async (body) => {
    const answer = await post('get_language', body);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({ command: 'get_language', result: 'en', ok: true });
  });

  it.each<[string, unknown]>([
    ['sound_level', { value: 1.5 }],
    ['sound_level', { value: '1' }],
    ['sound_level', { value: true }],
    ['sound_level', { value: null }],
    ['sound_level', {}],
    ['sound_level', undefined],
    ['set_robot_max_velocity', { value: '1' }],
    ['set_obstacle_avoidance', { value: 1 }],
    ['is_detected', { value: ['rune-1'] }],
    ['skill', { value: ['wave'] }],
    ['play_sequence', { value: { name: 'wave' } }],
    ['go_to_absolute', { value: [1, 2] }],
    ['get_language', { value: 1 }],
  ])('names the kind %s takes when given %j', async (command, body) => {
    expect(await post(command, body)).toMatchObject({
      status: 422,
      body: { code: 'wrong_value_type', detail: expect.stringContaining(command), errors: [{ pointer: '/value' }] },
    });
  });

  it.each<[string, string, string]>([
    ['go_to_absolute', '{"value":{"x":null}}', '/value/x'],
    ['go_to_absolute', '{"value":{"w":1}}', '/value/w'],
    ['sound_level', '{"value":9007199254740992}', '/value'],
    ['sound_level', '{"value":101}', '/value'],
    ['go_to_absolute', '{"value":{"y":9007199254740993}}', '/value/y'],
    ['set_robot_max_velocity', '{"value":9007199254740993}', '/value'],
    ['sound_level', '{"value":1,"command":"x"}', '/command'],
    ['skill', '{"value":{"name":"wave","n":9007199254740992}}', '/value/n'],
    ['play_sequence', '{"value":["wave",1]}', '/value/1'],
  ])('refuses for %s %s', async (command, body, pointer) => {
    expect(await post(command, body)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ pointer }] },
    });
  });

  it('answers 404 for an unknown command', async () => {
    expect(await post('fly', { value: 1 })).toMatchObject({ status: 404, body: { code: 'unknown_command' } });
  });
});

describe('GET commands/', () => {
  it('lists every command with its kind, title and effect', async () => {
    const { status, body } = await invoke(listCommands, { ports, headers });
    expect(status).toBe(200);
    expect(body.commands).toHaveLength(robot.catalogue().size);
    expect(body.commands).toContainEqual({
      name: 'sound_level',
      kind: 'int',
      title: expect.any(String),
      effect: 'action',
      bounds: { minimum: 0, maximum: 100 },
      unit: '%',
      motion: false,
      args: { type: 'integer', minimum: 0, maximum: 100, 'x-unit': '%' },
      ...DOCUMENTED_RESULTS.sound_level,
    });
    expect(() => Catalogue.parse(body)).not.toThrow();
  });

  it('describes value, result, examples and motion of every command', async () => {
    const { body } = await invoke(listCommands, { ports, headers });
    for (const { name, kind, args, result, examples, motion } of body.commands) {
      expect([name, result, motion]).toEqual([name, expect.any(Object), expect.any(Boolean)]);
      expect([name, args === undefined]).toEqual([name, kind === 'none']);
      for (const { value } of examples) if (args) expect(argsSchema(args).safeParse(value).error).toBeUndefined();
    }
  });

  it("gives the robot's own description of a value before one made from its kind", async () => {
    const args = { type: 'array', maxItems: 3 };
    const link = scriptedLink(() => null, { args });
    const { body } = await invoke(listCommands, { ports: commandPorts({ link }), headers });
    expect(body.commands).toContainEqual(expect.objectContaining({ name: 'a_list', args }));
  });
});

describe('POST stop', () => {
  const post = async (more: Partial<Parameters<typeof invoke>[1]> = {}) => {
    const link = openSimulatedRobot(Date.now);
    asClient(link, 'bob')('skill', { name: 'dance' });
    const answer = await invoke(stop, { ports: commandPorts({ link }), method: 'POST', ...more });
    link.close();
    return answer;
  };

  it.each<[string, Partial<Parameters<typeof invoke>[1]>]>([
    ['a token', { headers }],
    ['a token that has just run out', { headers: { authorization: 'Bearer expired-alice' } }],
    ['no token over the socket', { listener: 'socket' }],
    ['a body of any type, which is not read', { headers: { ...headers, 'content-type': 'text/plain' }, body: '{' }],
    ['a query', { headers, query: { nocache: '1' } }],
  ])('stops the robot with %s', async (_what, call) => {
    expect(await post(call)).toMatchObject({ status: 200, body: { stopped: true, cancelled_missions: 1 } });
  });

  it('is not cancelled when the caller hangs up', async () => {
    expect(await post({ headers, signal: AbortSignal.abort() })).toMatchObject({ status: 200 });
  });

  it('needs a token over TCP', async () => {
    expect(await post()).toMatchObject({ status: 401, body: { code: 'missing_token' } });
  });
});

describe('Without a robot', () => {
  const without = commandPorts({ link: noRobot() });

  it('every valid request names the missing setting', async () => {
    const params = { command: 'get_language' };
    const answers = await Promise.all([
      invoke(getCommand, { ports: without, params, headers }),
      invoke(runCommand, { ports: without, method: 'POST', params, headers }),
      invoke(listCommands, { ports: without, headers }),
      invoke(stop, { ports: without, method: 'POST', headers }),
    ]);
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5' },
        body: { code: 'robot_unavailable', detail: expect.stringContaining('SERVICE_ROBOT_URL') },
      });
    }
    const faulty = await invoke(runCommand, { ports: without, method: 'POST', params, headers, body: { valu: 1 } });
    expect(faulty).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });
});

describe('The routes of the commands', () => {
  it('exist in both versions, except the one added in v2', () => {
    const mine = ROUTES.filter(({ endpoint: { spec } }) => spec.perRobot && spec.errors?.includes('robot_unavailable'));
    const onlyV2 = mine.filter(({ versions }) => !versions.includes('v1')).map(({ path }) => path);
    expect(mine).toHaveLength(11);
    expect(onlyV2).toEqual(['/api/{version}/commands/{command}/']);
    expect(mine.every(({ cloud }) => cloud)).toBe(true);
    expect(new Set(mine.filter(answersHead).map(({ path }) => path))).toEqual(new Set(['/api/{version}/commands/']));
  });
});
