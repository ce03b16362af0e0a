import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  AuthError,
  connect,
  type Robot,
  type RobotRestError,
  Unavailable,
} from '../../clients/typescript/src/index.ts';
import { until } from '../support/processes.ts';

type Answers = (request: IncomingMessage, response: ServerResponse) => void;

const SECRET = 'rk_very-secret';

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function problem(response: ServerResponse, status: number, code: string): void {
  json(response, { code, detail: `It says ${code}.`, status }, status);
}

/** Something that listens where the service should, and the clients that ask it. */
class Pretender {
  readonly requests: IncomingMessage[] = [];
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #robots: Robot[] = [];

  async listen(answers: Answers): Promise<number> {
    const server = createServer((request, response) => {
      this.requests.push(request);
      answers(request, response);
    });
    server.on('connection', (socket: Socket) => this.#sockets.add(socket));
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port; // as: it listens on TCP
  }

  /** Connects to a service that answers so, after it has given tokens that live for so many seconds. */
  async robot(
    answers: Answers,
    options: Partial<Parameters<typeof connect>[1]> = {},
    expiresIn = 1800,
  ): Promise<Robot> {
    let tokens = 0;
    const port = await this.listen((request, response) => {
      const path = request.url ?? '';
      const isToken = path === '/api/v2/auth/' || path === '/api/v2/commands/';
      if (!isToken) return answers(request, response);
      tokens += 1;
      const token = { token: `t${tokens}`, expires_in: expiresIn, client_id: 'c', access_level: 'USER' };
      json(response, path === '/api/v2/auth/' ? token : { commands: [] });
    });
    const credentials = options.token === undefined ? { key: SECRET } : {};
    const robot = await connect(`http://127.0.0.1:${port}`, { ...credentials, WebSocket: null, ...options });
    this.#robots.push(robot);
    return robot;
  }

  paths(): string[] {
    return this.requests.map(({ method, url }) => `${method} ${url}`);
  }

  async close(): Promise<void> {
    for (const robot of this.#robots) robot.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const server of this.#servers) await new Promise((resolve) => server.close(resolve));
  }
}

let pretender = new Pretender();
afterEach(async () => {
  await pretender.close();
  pretender = new Pretender();
});

const GARBAGE: [string, Answers, string][] = [
  ['no JSON', (_, response) => response.end('<html>Hello</html>'), 'bad_answer'],
  ['no object', (_, response) => json(response, []), 'bad_answer'],
  ['no token', (_, response) => json(response, { token: 5, expires_in: 1 }), 'bad_answer'],
  ['a token that no header can carry', (_, response) => json(response, { token: 'a\nb', expires_in: 1 }), 'bad_answer'],
  ['a time that never ends', (_, response) => json(response, { token: 'a', expires_in: 1e99 }), 'bad_answer'],
  ['no UTF-8', (_, response) => response.end(Buffer.from([0xff, 0xfe])), 'bad_answer'],
  ['no page', (_, response) => response.writeHead(404).end('Not found'), 'bad_answer'],
  ['no HTTP', (request) => request.socket.end('SSH-2.0-OpenSSH\r\n'), 'bad_answer'],
  ['a redirect', (_, response) => response.writeHead(302, { location: '/api/v2/auth/' }).end(), 'bad_answer'],
  [
    'half an answer',
    (_, response) => response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
    'connection_lost',
  ],
  ['nothing', (request) => request.socket.destroy(), 'connection_lost'],
];

describe('The TypeScript client, with something else in place of the service,', () => {
  it.each(GARBAGE)('says so: %s', async (_what, answers, code) => {
    const port = await pretender.listen(answers);
    const error = await connect(`http://127.0.0.1:${port}`, { key: SECRET }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({ code, answered: false });
    expect(inspect(error, { depth: 9 })).not.toContain(SECRET);
  });

  it('says that nothing listens, and that nothing was sent', async () => {
    const port = await pretender.listen(() => undefined);
    await pretender.close();
    pretender = new Pretender();
    const error = await connect(`http://127.0.0.1:${port}`, { key: SECRET }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'unreachable', status: null, commandRan: 'no' });
  });

  it.each([
    ['a key with a line end', 'http://127.0.0.1', { key: `${SECRET}\n` }],
    ['a key and a token', 'http://127.0.0.1', { key: SECRET, token: SECRET }],
    ['neither', 'http://127.0.0.1', {}],
    ['a password in the address', `http://me:${SECRET}@127.0.0.1`, { key: SECRET }],
    ['another protocol', 'ftp://127.0.0.1', { key: SECRET }],
    ['a robot id that leads elsewhere', 'http://127.0.0.1', { key: SECRET, robotId: '..' }],
  ])('refuses %s without showing it', async (_what, url, options) => {
    const error: Error = await connect(url, options).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(inspect(error)).not.toContain(SECRET);
  });

  it('sends no command twice, and does not show its key and token', async () => {
    const robot = await pretender.robot((request) => request.socket.destroy());
    const error: RobotRestError = await robot.command('sound_level', 40).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'connection_lost', commandRan: 'maybe' });
    expect(pretender.paths().filter((path) => path.includes('sound_level'))).toHaveLength(1);
    expect(inspect(robot, { depth: 9, showHidden: true })).not.toMatch(/rk_very|"t1"/);
    await expect(robot.table('x').rows()).rejects.toMatchObject({ code: 'connection_lost' });
    expect(pretender.paths().filter((path) => path.includes('/read/'))).toHaveLength(2);
  });
});

describe('The token of the TypeScript client', () => {
  const refresh = (answer: (response: ServerResponse) => void): Answers => {
    return (request, response) => (request.url === '/api/v2/auth/refresh/' ? answer(response) : json(response, {}));
  };

  it('is refreshed before it ends', async () => {
    const tokens: string[] = [];
    const renewed = { token: 'renewed', expires_in: 1800, client_id: 'c', access_level: 'USER' };
    const answers = refresh((response) => json(response, renewed));
    const robot = await pretender.robot(answers, { onToken: ({ token }) => tokens.push(token) }, 1);
    await until('it is refreshed', () => tokens.includes('renewed'));
    await robot.call('get', '/status');
    expect(pretender.requests.at(-1)?.headers.authorization).toBe('Bearer renewed');
    expect(pretender.paths()).toContain('GET /api/v2/auth/refresh/');
  });

  it('is replaced by means of the key when it is refused at the refresh', async () => {
    const answers = refresh((response) => problem(response, 401, 'token_invalid'));
    await pretender.robot(answers, {}, 1);
    await until(
      'it authenticates anew',
      () => pretender.paths().filter((path) => path === 'GET /api/v2/auth/').length > 1,
    );
  });

  it('leads to a login when it is refused at the refresh, and there is no key', async () => {
    const signedOut: Error[] = [];
    let refusing = false;
    const short = { token: 'short', expires_in: 1, client_id: 'c', access_level: 'USER' };
    const answers = refresh((response) => {
      if (refusing) problem(response, 401, 'token_expired');
      else json(response, short);
      refusing = true;
    });
    await pretender.robot(answers, { token: 'given', onSignedOut: (error) => signedOut.push(error) });
    await until('it is told', () => signedOut.length > 0);
    expect(signedOut[0]).toBeInstanceOf(AuthError);
    expect(pretender.paths().filter((path) => path.endsWith('/refresh/'))).toHaveLength(2);
  });

  it('is replaced once after a 401, and not again and again', async () => {
    const refused: Answers = (_, response) => problem(response, 401, 'token_expired');
    const robot = await pretender.robot(refused);
    await expect(robot.table('x').rows()).rejects.toMatchObject({ code: 'token_expired' });
    expect(pretender.paths().filter((path) => path.includes('/read/'))).toHaveLength(2);
    const [first, second] = pretender.requests.filter(({ url }) => url?.includes('/read/'));
    expect(first?.headers.authorization).not.toBe(second?.headers.authorization);
  });
});

describe('A stop of the TypeScript client', () => {
  const stopOnly = (answer: (response: ServerResponse, nth: number) => void, stop: unknown = null): Answers => {
    let stops = 0;
    return (request, response) => {
      if (request.url === '/status') return json(response, { stop });
      stops += 1;
      answer(response, stops);
    };
  };

  it('is sent again until it is confirmed', async () => {
    const unconfirmed: string[] = [];
    const answers = stopOnly((response, nth) => {
      if (nth === 1) problem(response, 502, 'robot_error');
      else if (nth === 2) json(response, { stopped: false });
      else if (nth === 3) response.destroy();
      else json(response, { stopped: true, fenced: true, runs_stopped: ['r', 5] });
    });
    const robot = await pretender.robot(answers);
    const stop = await robot.stop({ onNotConfirmed: ({ code }) => unconfirmed.push(code) });
    expect(stop).toEqual({ stopped: true, fenced: true, runsStopped: ['r'], by: 'service' });
    expect(unconfirmed).toEqual(['robot_error', 'bad_answer', 'connection_lost']);
  });

  it('counts the first confirmation of service and guard, which are both sent it', async () => {
    const port = await pretender.listen((_, response) => json(response, { stopped: true, fenced: true }));
    const robot = await pretender.robot(stopOnly(() => undefined, { port, tls_port: null, socket: null })); // it hangs
    expect(await robot.stop()).toMatchObject({ by: 'guard' });
    await until('both have it', () => pretender.paths().filter((path) => path === 'POST /api/v2/stop').length === 2);
    for (const { url, headers } of pretender.requests) {
      if (url === '/api/v2/stop') expect(headers.authorization).toBe('Bearer t1');
    }
  });

  it('is given up by the signal alone, and says why', async () => {
    const robot = await pretender.robot(stopOnly((response) => problem(response, 504, 'robot_timeout')));
    let attempts = 0;
    const abort = new AbortController();
    const onNotConfirmed = () => {
      attempts += 1;
      if (attempts === 3) abort.abort();
    };
    await expect(robot.stop({ signal: abort.signal, onNotConfirmed })).rejects.toMatchObject({ code: 'robot_timeout' });
    expect(attempts).toBe(3);
  });

  it('fails once it is refused for good', async () => {
    const answers: Answers = (request, response) => {
      if (request.url === '/api/v2/auth/refresh/') {
        json(response, { token: 't', expires_in: 1800, client_id: 'c', access_level: 'USER' });
      } else if (request.url === '/status') json(response, {});
      else problem(response, 401, 'key_revoked');
    };
    const robot = await pretender.robot(answers, { token: 'given' });
    await expect(robot.stop()).rejects.toMatchObject({ code: 'key_revoked' });
  });
});
