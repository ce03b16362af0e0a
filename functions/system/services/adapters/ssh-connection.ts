import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { Client, type ConnectConfig, type ServerHostKeyAlgorithm } from 'ssh2';
import type { Config } from '../../../shared/config.ts';
import { Backoff } from '../../../shared/kit/backoff.ts';
import { CommandFailure } from '../../../shared/kit/child-process/running.ts';

/** In ms. A dead connection is detected after `keepaliveInterval` times `keepaliveCountMax`. */
const TIMEOUTS = { readyTimeout: 5_000, keepaliveInterval: 10_000, keepaliveCountMax: 3 };
/** Delay after a failed attempt, in ms: the first and the longest. */
const MIN_RETRY_MS = 250;
const MAX_RETRY_MS = 8_000;

const REQUIRED_SETTINGS = [
  'SERVICE_BASE_HOST',
  'SERVICE_BASE_USER',
  'SERVICE_BASE_KEY_PATH',
  'SERVICE_BASE_HOST_KEY',
] as const;

/**
 * The persistent connection to the base computer, opened on first use and reopened after a loss. While the base is
 * unreachable, requests in quick succession share the error of one attempt instead of each making their own.
 */
export class SshConnection {
  readonly #config: Config;
  #client: Promise<Client> | undefined;
  /** The connected client of the latest `#client`. */
  #live: Client | undefined;
  readonly #backoff = new Backoff(MIN_RETRY_MS, MAX_RETRY_MS);
  #failed: { readonly error: unknown; readonly until: number } | undefined;

  constructor(config: Config) {
    this.#config = config;
  }

  /** Whether {@link get} would return an existing connection. */
  get established(): boolean {
    return this.#client !== undefined;
  }

  /** Returns a ready connection. @throws CommandFailure `unreachable` with the cause and a remedy. */
  get(): Promise<Client> {
    if (this.#client) return this.#client;
    if (this.#failed && performance.now() < this.#failed.until) return Promise.reject(this.#failed.error);
    const client = this.#connect();
    this.#client = client;
    client.then(
      (live) => {
        this.#failed = undefined;
        this.#backoff.reset();
        this.#live = live;
        live.once('close', () => this.#forget(client));
      },
      (error: unknown) => {
        this.#forget(client);
        this.#failed = { error, until: performance.now() + this.#backoff.fail() };
      },
    );
    return client;
  }

  /** Closes a connection that no longer responds; the next {@link get} opens a new one. */
  drop(client: Client): void {
    if (this.#live === client) {
      this.#client = undefined;
      this.#live = undefined;
    }
    client.destroy();
  }

  close(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.then(
      (live) => live.destroy(),
      () => {},
    );
  }

  #forget(client: Promise<Client>): void {
    if (this.#client === client) this.#client = undefined;
  }

  async #connect(): Promise<Client> {
    const settings = await connectSettings(this.#config);
    const client = new Client();
    const ready = new Promise<Client>((resolve, reject) => {
      let lastError: Error | undefined;
      client.on('error', (error) => {
        lastError = error;
        reject(unreachable(error));
      });
      client.once('ready', () => {
        client.setNoDelay(true); // otherwise each command waits twice for delayed ACKs of 45 ms
        resolve(client);
      });
      client.once('close', () => {
        reject(unreachable(lastError ?? new Error('the connection was closed')));
      });
    });
    try {
      client.connect(settings);
    } catch (error) {
      throw unreachable(error as Error); // as: ssh2 throws nothing else, for a key it cannot parse
    }
    return ready;
  }
}

async function connectSettings(config: Config): Promise<ConnectConfig> {
  const {
    SERVICE_BASE_HOST: host,
    SERVICE_BASE_USER: username,
    SERVICE_BASE_KEY_PATH: keyPath,
    SERVICE_BASE_HOST_KEY: hostKey,
  } = config;
  if (host === undefined || username === undefined || keyPath === undefined || hostKey === undefined) {
    const missing = REQUIRED_SETTINGS.filter((name) => config[name] === undefined);
    throw new CommandFailure('unreachable', `Set ${missing.join(', ')} to reach it over SSH.`);
  }
  const [type = '', key = ''] = hostKey.split(/\s+/);
  const pinned = Buffer.from(key, 'base64');
  return {
    ...TIMEOUTS,
    host,
    port: config.SERVICE_BASE_PORT,
    username,
    privateKey: await privateKey(keyPath),
    algorithms: { serverHostKey: signaturesOf(type) },
    hostVerifier: (presented: Buffer) => presented.equals(pinned),
  };
}

/** Only the algorithms of the pinned key, so that a server with several keys presents this one. */
function signaturesOf(type: string): ServerHostKeyAlgorithm[] {
  return type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type as ServerHostKeyAlgorithm]; // as: the setting's schema names the types
}

async function privateKey(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CommandFailure('unreachable', 'The key at SERVICE_BASE_KEY_PATH cannot be read.', error);
  }
}

function unreachable(error: Error): CommandFailure {
  return new CommandFailure('unreachable', explain(error), error);
}

function explain(error: Error & { level?: string; code?: string }): string {
  if (/host denied|host fingerprint|host key/i.test(error.message))
    return 'Its host key differs from SERVICE_BASE_HOST_KEY; nothing was sent to it.';
  if (error.level === 'client-authentication')
    return 'It does not accept the key at SERVICE_BASE_KEY_PATH for SERVICE_BASE_USER.';
  if (/cannot parse privateKey|encrypted/i.test(error.message))
    return 'The key at SERVICE_BASE_KEY_PATH is not an unencrypted private key.';
  if (error.level === 'client-timeout')
    return 'It did not respond over SSH in time. Check that it is running and connected.';
  if (error.code !== undefined)
    return `It cannot be reached over SSH (${error.code}). Check that it is running and connected.`;
  return `The SSH connection failed: ${error.message}.`;
}
