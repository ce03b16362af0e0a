import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { Client, type ConnectConfig, type ServerHostKeyAlgorithm } from 'ssh2';
import type { Config } from '../../config.ts';
import { CommandFailure } from '../child-process/running.ts';

/** Times in ms. A dead connection is noticed after `keepaliveInterval` times `keepaliveCountMax`. */
const TIMES = { readyTimeout: 5_000, keepaliveInterval: 10_000, keepaliveCountMax: 3 };
/** After a failed attempt the next one waits, in ms: the first time, doubled each time, and at most. */
const PAUSE = { first: 250, most: 8_000 };

const NEEDED = ['SERVICE_BASE_HOST', 'SERVICE_BASE_USER', 'SERVICE_BASE_KEY_PATH', 'SERVICE_BASE_HOST_KEY'] as const;

/**
 * The one kept connection to the base computer: made when first needed, made again after it was lost. While the base
 * cannot be reached, requests in quick succession share one attempt's answer instead of each waiting for its own.
 */
export class SshConnection {
  readonly #config: Config;
  #client: Promise<Client> | undefined;
  /** What the latest `#client` became. */
  #live: Client | undefined;
  #failed: { readonly error: unknown; readonly until: number; readonly pause: number } | undefined;

  constructor(config: Config) {
    this.#config = config;
  }

  /** Whether {@link get} would give a connection made before. */
  get established(): boolean {
    return this.#client !== undefined;
  }

  /** The connection, ready. @throws CommandFailure `unreachable` that says why and what to do. */
  get(): Promise<Client> {
    if (this.#client) return this.#client;
    if (this.#failed && performance.now() < this.#failed.until) return Promise.reject(this.#failed.error);
    const client = this.#connect();
    this.#client = client;
    client.then(
      (it) => {
        this.#failed = undefined;
        this.#live = it;
        it.once('close', () => this.#forget(client));
      },
      (error: unknown) => {
        this.#forget(client);
        const pause = Math.min(this.#failed ? this.#failed.pause * 2 : PAUSE.first, PAUSE.most);
        this.#failed = { error, until: performance.now() + pause, pause };
      },
    );
    return client;
  }

  /** Ends a connection that no longer answers; the next {@link get} makes a new one. */
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
      (it) => it.destroy(),
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
        client.setNoDelay(true); // else each command waits for delayed acknowledgements, 45 ms twice
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
    const missing = NEEDED.filter((name) => config[name] === undefined);
    throw new CommandFailure('unreachable', `Set ${missing.join(', ')} to reach it over SSH.`);
  }
  const [type = '', key = ''] = hostKey.split(/\s+/);
  const pinned = Buffer.from(key, 'base64');
  return {
    ...TIMES,
    host,
    port: config.SERVICE_BASE_PORT,
    username,
    privateKey: await privateKey(keyPath),
    algorithms: { serverHostKey: signaturesOf(type) },
    hostVerifier: (presented: Buffer) => presented.equals(pinned),
  };
}

/** The one kind of key that is pinned, so that a server with several shows this one. */
function signaturesOf(type: string): ServerHostKeyAlgorithm[] {
  return type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type as ServerHostKeyAlgorithm]; // as: the setting's schema names the types
}

async function privateKey(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new CommandFailure('unreachable', 'The key named by SERVICE_BASE_KEY_PATH cannot be read.', error);
  }
}

function unreachable(error: Error): CommandFailure {
  return new CommandFailure('unreachable', explain(error), error);
}

function explain(error: Error & { level?: string; code?: string }): string {
  if (/host denied|host fingerprint|host key/i.test(error.message))
    return 'It shows another host key than SERVICE_BASE_HOST_KEY; nothing was sent to it.';
  if (error.level === 'client-authentication')
    return 'It does not accept the key of SERVICE_BASE_KEY_PATH for SERVICE_BASE_USER.';
  if (/cannot parse privateKey|encrypted/i.test(error.message))
    return 'The key named by SERVICE_BASE_KEY_PATH is no unencrypted private key.';
  if (error.level === 'client-timeout') return 'It did not answer over SSH in time; see that it runs and is connected.';
  if (error.code !== undefined)
    return `It cannot be reached over SSH (${error.code}); see that it runs and is connected.`;
  return `The SSH connection failed: ${error.message}.`;
}
