import { PassThrough } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import type { Config } from '../../../shared/config.ts';
import {
  CommandFailure,
  type Exit,
  errorOf,
  listen,
  type Running,
  tooSlow,
} from '../../../shared/kit/child-process/running.ts';
import type { Command, CommandLimits, Machine } from './machine.ts';
import { quoteWords } from './quote.ts';
import { SshConnection } from './ssh-connection.ts';

/** The base computer, over one persistent SSH connection with a pinned host key. */
export function sshMachine(config: Config): Machine {
  const connection = new SshConnection(config);
  return {
    system: 'base',
    journalDir: config.SERVICE_BASE_JOURNAL_DIR,
    async start(command, limits) {
      const line = quoteWords(command);
      const open = async () => {
        const client = await connection.get();
        limits.signal.throwIfAborted();
        return openChannel(client, line, connection, (channel) => run(channel, command, limits));
      };
      const reused = connection.established;
      return open().catch((error: unknown) => {
        if (!reused || !(error instanceof CommandFailure)) throw error;
        return open(); // the existing connection was dead; retry once over a new one
      });
    },
    close: () => connection.close(),
  };
}

/** A connection on which opening a channel takes longer is considered dead. */
const CHANNEL_TIMEOUT_MS = 5_000;

/**
 * Calls `use` synchronously, because the exit of a quick command may arrive in the same packet as the channel itself.
 */
function openChannel<T>(
  client: Client,
  line: string,
  connection: SshConnection,
  use: (channel: ClientChannel) => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const lost = (error: unknown) => {
      clearTimeout(timer);
      client.off('close', closed);
      connection.drop(client);
      reject(connectionLost(error));
    };
    const closed = () => lost(new Error('closed'));
    const timer = setTimeout(() => lost(new Error('timed out opening a channel')), CHANNEL_TIMEOUT_MS);
    client.once('close', closed);
    try {
      client.exec(line, (error, channel) => {
        if (error && !('reason' in error)) return lost(error);
        clearTimeout(timer);
        client.off('close', closed);
        if (error) reject(new CommandFailure('unreachable', 'It refused another SSH session.', error));
        else resolve(use(channel));
      });
    } catch (error) {
      lost(error);
    }
  });
}

function run(channel: ClientChannel, [program]: Command, { signal, timeLimit }: CommandLimits): Running {
  const stdout = new PassThrough();
  const stderr = listen(channel.stderr);
  let code: number | null | undefined;
  let stop: (reason?: unknown) => void = () => {};
  const exit = new Promise<Exit>((resolve, reject) => {
    const settle = (failure?: unknown) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      if (failure === undefined) return resolve({ code: code ?? null, stderr: stderr() });
      stdout.destroy(errorOf(failure));
      reject(failure);
    };
    // Does not wait for the remote side, which may no longer be there.
    stop = (reason) => {
      settle(reason);
      channel.unpipe(stdout).resume(); // pending output must not keep the channel open
      channel.signal('KILL'); // closing alone would leave a command without output running
      channel.close();
      stdout.destroy();
    };
    const abort = () => stop(signal.reason);
    const timer = setTimeout(() => stop(tooSlow(program, timeLimit)), timeLimit);
    signal.addEventListener('abort', abort, { once: true });
    channel.once('exit', (status: number | null) => {
      code = status;
    });
    channel.once('close', () => settle(code === undefined ? connectionLost() : undefined));
    if (signal.aborted) abort();
  });
  exit.catch(() => {}); // callers that only read stdout may ignore it
  channel.on('error', () => {});
  stdout.on('error', () => {});
  stdout.once('close', () => {
    if (!stdout.readableEnded) stop(); // the reader has gone
  });
  if (!signal.aborted) channel.pipe(stdout);
  return { stdout, exit, stop: () => stop() };
}

function connectionLost(cause?: unknown): CommandFailure {
  return new CommandFailure('unreachable', 'The SSH connection was lost.', cause);
}
