import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { ROOT } from './sources.ts';
import { temporaryFolder } from './world.ts';

export interface ServiceProcess {
  readonly child: ChildProcess;
  /** Where it listens, from its own announcement. */
  readonly url: string;
  /** The first key, when this start made one. */
  readonly key: string | undefined;
  readonly socketPath: string;
  /** Everything it has said on stdout and stderr so far. */
  output(): { readonly stdout: string; readonly stderr: string };
  /** Sends a signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The environment of a fresh machine: a home of its own, nothing of the caller's but the PATH. */
export function freshEnvironment(settings: Record<string, string> = {}): Record<string, string> {
  const home = settings.HOME ?? temporaryFolder();
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    SERVICE_PORT: '0',
    SERVICE_SOCKET_PATH: join(home, 'rest_api.sock'),
    ...settings,
  };
}

const START = join(ROOT, 'scripts', 'start.mjs');

/** Starts it without waiting for anything: what `npm start` runs, or another program in its stead. */
export function launch(args: readonly string[], environment: Record<string, string>, program = START) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: program === START ? ROOT : dirname(program),
    env: environment,
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  return { child, said };
}

/** Runs `npm start`'s own script, or one of the commands, to its end. */
export async function runToEnd(args: readonly string[], environment: Record<string, string>): Promise<Finished> {
  const { child, said } = launch(args, environment);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
}

/** Starts the service as `npm start` does, or as another program does, and waits until it says where it listens. */
export async function startProcess(
  settings: Record<string, string> = {},
  program = START,
  args: readonly string[] = program === START ? ['--empty'] : [],
): Promise<ServiceProcess> {
  const environment = freshEnvironment(settings);
  const { child, said } = launch(args, environment, program);
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const announced = /^Listening on (http:\S+?)(?: |;).*\n/m.exec(said.stdout)?.[1];
      if (announced !== undefined) resolve(announced);
    };
    child.stdout.on('data', look);
    child.once('close', (code) => reject(new Error(`the service ended with ${code}: ${said.stderr}`)));
  });
  return {
    child,
    url,
    socketPath: environment.SERVICE_SOCKET_PATH ?? '',
    get key() {
      return /^First API key.*: (rk_\S+)$/m.exec(said.stdout)?.[1];
    },
    output: () => ({ ...said }),
    async end(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null)
        return { code: child.exitCode, signal: child.signalCode };
      child.kill(signal);
      const [code, by] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      return { code, signal: by };
    },
  };
}
