import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server as TcpServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import ssh2, { type Connection, type Server } from 'ssh2';
import { CommandFailure } from '../../../../functions/shared/kit/child-process/running.ts';
import type { Machine } from '../../../../functions/system/services/adapters/machine.ts';
import { sshMachine } from '../../../../functions/system/services/adapters/ssh.ts';
import { temporaryFolder, testConfig } from '../../../support/world.ts';

const LIMITS = { signal: new AbortController().signal, timeLimit: 20_000 };

/** Private and public key as ssh-keygen writes them. */
const keyPair = () => ssh2.utils.generateKeyPairSync('ed25519');
const hostKey = keyPair();
const keyPath = join(temporaryFolder(), 'id');

const machines: Machine[] = [];
const servers: Array<Server | TcpServer> = [];
beforeAll(() => writeFileSync(keyPath, keyPair().private));
afterEach(async () => {
  for (const machine of machines.splice(0)) machine.close();
  for (const server of servers.splice(0)) server.close();
});

function machineAt(port: number): Machine {
  const machine = sshMachine(
    testConfig({
      SERVICE_BASE_HOST: '127.0.0.1',
      SERVICE_BASE_PORT: String(port),
      SERVICE_BASE_USER: 'robot',
      SERVICE_BASE_KEY_PATH: keyPath,
      SERVICE_BASE_HOST_KEY: hostKey.public.trim(),
    }),
  );
  machines.push(machine);
  return machine;
}

async function listening(server: Server | TcpServer): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server as TcpServer, 'listening'); // as: both tell it alike
  return (server.address() as AddressInfo).port; // as: it listens on TCP
}

/** An SSH server that lets everybody in, and does with a connection what the test says. */
const serve = (each: (connection: Connection) => void) =>
  listening(
    new ssh2.Server({ hostKeys: [hostKey.private] }, (connection) => {
      connection.on('authentication', (context) => context.accept()).on('error', () => undefined);
      each(connection);
    }),
  );

const failureOf = (machine: Machine) =>
  machine.start(['true'], LIMITS).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('The base computer', () => {
  it('that accepts the connection and says nothing times out', async () => {
    const machine = machineAt(await listening(createServer((socket) => socket.on('error', () => undefined))));
    const failure = await failureOf(machine);
    expect(failure).toBeInstanceOf(CommandFailure);
    expect(failure).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('in time') });
  });

  it('that refuses another session reports it and keeps the connection', async () => {
    let sessions = 0;
    let connections = 0;
    const port = await serve((connection) => {
      connections += 1;
      connection.on('session', (accept, reject) => {
        sessions += 1;
        if (sessions === 1) return reject();
        accept().on('exec', (accepted) => {
          const channel = accepted();
          channel.write('fine');
          channel.exit(0);
          channel.end();
        });
      });
    });
    const machine = machineAt(port);
    expect(await failureOf(machine)).toMatchObject({ kind: 'unreachable', message: 'It refused another SSH session.' });
    const running = await machine.start(['true'], LIMITS);
    expect(await text(running.stdout)).toBe('fine');
    expect(await running.exit).toMatchObject({ code: 0 });
    expect(connections).toBe(1);
  });

  it('that disconnects during a command has not answered it', async () => {
    const port = await serve((connection) => {
      connection.on('session', (accept) => {
        accept().on('exec', (accepted) => {
          accepted().write('half');
          setImmediate(() => connection.end());
        });
      });
    });
    const running = await machineAt(port).start(['true'], LIMITS);
    running.stdout.resume();
    await expect(running.exit).rejects.toMatchObject({ kind: 'unreachable', message: 'The SSH connection was lost.' });
  });

  it('that is missing is retried with growing delays; in between every request fails at once', async () => {
    const gone = createServer();
    const port = await listening(gone);
    gone.close();
    const machine = machineAt(port);
    const first = await failureOf(machine);
    expect(first).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('ECONNREFUSED') });
    const times: number[] = [performance.now()];
    let latest = first;
    while (times.length < 4) {
      const failure = await failureOf(machine);
      if (failure !== latest) times.push(performance.now());
      latest = failure;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    // 250 ms, doubled each time; what holds the machine up makes them longer only.
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThan(240 * 2 ** index);
  });
});
