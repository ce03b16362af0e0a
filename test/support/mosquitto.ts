import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { ROOT } from './sources.ts';
import { temporaryFolder } from './world.ts';

export const MOSQUITTO = '/usr/sbin/mosquitto';

const PASSWORDS = { service: 's3cret-service', 'robot-1': 's3cret-1', 'robot-2': 's3cret-2' } as const;
export type BrokerUser = keyof typeof PASSWORDS;

export interface TestBroker {
  /** `mqtt://user:password@127.0.0.1:port`, with a path when one is given. */
  url(user: BrokerUser, path?: string): string;
  readonly port: number;
  password(user: BrokerUser): string;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops its clock: connections stand, nothing moves, until it goes on. */
  freeze(): void;
  goOn(): void;
}

/** A mosquitto of our own with the access rules of examples/mosquitto, on a free port of 127.0.0.1. */
export async function startMosquitto(more: readonly string[] = []): Promise<TestBroker> {
  const folder = temporaryFolder();
  const port = await freePort();
  const file = (name: string) => join(folder, name);
  writeFileSync(file('passwords'), '', { mode: 0o600 });
  for (const [user, password] of Object.entries(PASSWORDS)) {
    execFileSync('mosquitto_passwd', ['-b', file('passwords'), user, password], { stdio: 'ignore' });
  }
  cpSync(join(ROOT, 'examples/mosquitto/acl'), file('acl'));
  const lines = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous false',
    `password_file ${file('passwords')}`,
    `acl_file ${file('acl')}`,
    'persistence false',
    'set_tcp_nodelay true',
    'user root', // it keeps our own rights: the files are ours alone
    ...more,
  ];
  writeFileSync(file('mosquitto.conf'), `${lines.join('\n')}\n`);
  let child: ChildProcess | undefined;
  process.once('exit', () => child?.kill('SIGKILL'));

  async function start(): Promise<void> {
    child = spawn(MOSQUITTO, ['-c', file('mosquitto.conf')], { stdio: 'ignore' });
    await listening(port);
  }

  await start();
  return {
    port,
    url: (user, path = '') => `mqtt://${user}:${PASSWORDS[user]}@127.0.0.1:${port}${path}`,
    password: (user) => PASSWORDS[user],
    start,
    freeze: () => void child?.kill('SIGSTOP'),
    goOn: () => void child?.kill('SIGCONT'),
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    const open = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the broker does not listen');
}
