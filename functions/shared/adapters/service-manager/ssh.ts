import { PassThrough } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import type { Config } from '../../config.ts';
import { CommandFailure, type Exit, errorOf, listen, type Running, tooSlow } from '../child-process/running.ts';
import type { CommandLimits, Machine, Words } from './machine.ts';
import { quoteWords } from './quote.ts';
import { SshConnection } from './ssh-connection.ts';

/** The base computer, over one kept SSH connection with a pinned host key. */
export function sshMachine(config: Config): Machine {
  const connection = new SshConnection(config);
  return {
    system: 'base',
    journalDir: config.SERVICE_BASE_JOURNAL_DIR,
    async start(words, limits) {
      const line = quoteWords(words);
      const open = async () => {
        const client = await connection.get();
        limits.signal.throwIfAborted();
        return openChannel(client, line, connection, (channel) => run(channel, words, limits));
      };
      const kept = connection.established;
      return open().catch((error: unknown) => {
        if (!kept || !(error instanceof CommandFailure)) throw error;
        return open(); // the kept connection was dead: once more over a new one
      });
    },
    close: () => connection.close(),
  };
}

/** Longest time to open a channel on a kept connection, in ms; one that takes longer is dead. */
const CHANNEL_LIMIT = 5_000;

/** `use` is called in the same turn: the end of a quick command may have come with the news that it was begun. */
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
      reject(brokenOff(error));
    };
    const closed = () => lost(new Error('closed'));
    const timer = setTimeout(() => lost(new Error('no channel in time')), CHANNEL_LIMIT);
    client.once('close', closed);
    try {
      client.exec(line, (error, channel) => {
        if (error && !('reason' in error)) return lost(error);
        clearTimeout(timer);
        client.off('close', closed);
        if (error) reject(new CommandFailure('unreachable', 'It refuses another SSH session.', error));
        else resolve(use(channel));
      });
    } catch (error) {
      lost(error);
    }
  });
}

function run(channel: ClientChannel, [program]: Words, { signal, timeLimit }: CommandLimits): Running {
  const stdout = new PassThrough();
  const heard = listen(channel.stderr);
  let code: number | null | undefined;
  let stop: (reason?: unknown) => void = () => {};
  const exit = new Promise<Exit>((resolve, reject) => {
    const settle = (failure?: unknown) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      if (failure === undefined) return resolve({ code: code ?? null, stderr: heard() });
      stdout.destroy(errorOf(failure));
      reject(failure);
    };
    // The far side is told, and not waited for: it may no longer be there.
    stop = (reason) => {
      settle(reason);
      channel.unpipe(stdout).resume(); // what is still on its way must not hold the channel open
      channel.signal('KILL'); // closing alone would leave a quiet command running over there
      channel.close();
      stdout.destroy();
    };
    const abort = () => stop(signal.reason);
    const timer = setTimeout(() => stop(tooSlow(program, timeLimit)), timeLimit);
    signal.addEventListener('abort', abort, { once: true });
    channel.once('exit', (status: number | null) => {
      code = status;
    });
    channel.once('close', () => settle(code === undefined ? brokenOff() : undefined));
    if (signal.aborted) abort();
  });
  exit.catch(() => {}); // whoever only reads stdout need not look at it
  channel.on('error', () => {});
  stdout.on('error', () => {});
  stdout.once('close', () => {
    if (!stdout.readableEnded) stop(); // nobody listens any more
  });
  if (!signal.aborted) channel.pipe(stdout);
  return { stdout, exit, stop: () => stop() };
}

function brokenOff(cause?: unknown): CommandFailure {
  return new CommandFailure('unreachable', 'The SSH connection broke off.', cause);
}
