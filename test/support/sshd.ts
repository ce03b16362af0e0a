import { type ChildProcess, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { descendantsOf, Processes, until } from './processes.ts';
import { temporaryFolder } from './world.ts';

export const SSHD = '/usr/sbin/sshd';

/** A real sshd on loopback that lets this user in with one key, to an empty home. It may be stopped and started again. */
export class TestSshd {
  readonly folder = temporaryFolder('sshd-');
  readonly #processes = new Processes();
  #port = 0;
  #daemon: ChildProcess | undefined;

  /** The settings of a service whose base computer this is. */
  settings(): Record<string, string> {
    return {
      SERVICE_BASE_HOST: '127.0.0.1',
      SERVICE_BASE_PORT: String(this.#port),
      SERVICE_BASE_USER: userInfo().username,
      SERVICE_BASE_KEY_PATH: join(this.folder, 'id'),
      SERVICE_BASE_HOST_KEY: this.publicKey('host'),
    };
  }

  /** `host` and `host-rsa`, the keys sshd shows; `id`, the one it lets in; `other`, neither. */
  publicKey(name: 'host' | 'host-rsa' | 'id' | 'other'): string {
    return readFileSync(join(this.folder, `${name}.pub`), 'utf8').trim();
  }

  /** @param forced a program that is run in place of every command; it finds the command in SSH_ORIGINAL_COMMAND. */
  async start(forced?: string): Promise<void> {
    if (this.#port === 0) await this.#prepare();
    const file = (name: string) => join(this.folder, name);
    const options = [
      ...[`Port ${this.#port}`, 'ListenAddress 127.0.0.1', `HostKey ${file('host')}`, `HostKey ${file('host-rsa')}`],
      ...[`PidFile none`, `AuthorizedKeysFile ${file('authorized')}`, 'PasswordAuthentication no', 'UsePAM no'],
      ...['KbdInteractiveAuthentication no', 'StrictModes no', 'PermitRootLogin prohibit-password'],
      // Commands run as the user of the tests, whose shell would read their start-up files, slow or stuck as these may be.
      ...[`SetEnv HOME=${file('home')}`, 'PermitUserRC no'],
      ...(forced === undefined ? [] : [`ForceCommand ${forced}`]),
    ];
    writeFileSync(file('sshd_config'), `${options.join('\n')}\n`);
    if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
    this.#daemon = this.#processes.start(SSHD, ['-D', '-e', '-f', file('sshd_config')]);
    await until('sshd listens', () => reachable(this.#port));
  }

  /** Ends sshd and, as a computer that loses power would, every connection to it. */
  async stop(): Promise<void> {
    const sessions = this.sessions();
    await this.#processes.stopAll();
    for (const pid of sessions) end(pid);
  }

  /** Ids of the processes that serve connections, and what runs in them. */
  sessions(): number[] {
    return descendantsOf(this.#daemon?.pid);
  }

  async #prepare(): Promise<void> {
    mkdirSync(join(this.folder, 'home'));
    const keygen = (name: string, type: string) =>
      spawnSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', '', '-f', join(this.folder, name)]);
    for (const name of ['host', 'id', 'other']) keygen(name, 'ed25519');
    keygen('host-rsa', 'rsa');
    copyFileSync(join(this.folder, 'id.pub'), join(this.folder, 'authorized'));
    chmodSync(join(this.folder, 'authorized'), 0o644);
    this.#port = await freePort();
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it ended by itself
  }
}

function reachable(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
