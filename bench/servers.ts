import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/support/free-port.ts';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** One signing key for all servers, so that they accept the same token. */
export const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

export interface Running {
  readonly name: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** When the process was started, by the clock of `performance.now()`. */
  readonly startedAt: number;
  stop(): Promise<void>;
}

async function launch(
  name: string,
  command: string,
  args: readonly string[],
  environment: (port: number) => Record<string, string>,
): Promise<Running> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', ...environment(port) },
    stdio: ['ignore', 'pipe', log],
  });
  running.add(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (text: Buffer) => /ready|Listening/.test(text.toString()) && resolve());
    child.once('exit', (code) =>
      reject(new Error(`${name} ended with ${code}: ${readFileSync(join(home, 'log'), 'utf8').slice(-500)}`)),
    );
  });
  return {
    name,
    port,
    child,
    startedAt,
    stop: () =>
      new Promise((resolve) => {
        running.delete(child);
        child.removeAllListeners('exit');
        if (child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

/** Servers log to a file, as they log to the journal under systemd. */
const home = mkdtempSync(join(tmpdir(), 'robot-rest-bench-'));
const log = openSync(join(home, 'log'), 'a');
const running = new Set<ChildProcess>();
/** Cleans up even if the benchmark fails. */
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

/** Memory of a process, in MB. */
export function residentMb(child: ChildProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

/** Builds the peers as production code, once. */
export function buildPeers(): void {
  const esbuild = join(ROOT, 'node_modules', '.bin', 'esbuild');
  const entries = ['bare', 'bare-events', 'bare-routes', 'fastify', 'express'].map((name) =>
    join(ROOT, 'bench', 'peers', `${name}.ts`),
  );
  const banner = 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);';
  execFileSync(esbuild, [
    ...entries,
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--target=node20',
    `--banner:js=${banner}`,
    '--out-extension:.js=.mjs',
    `--outdir=${join(home, 'peers')}`,
    '--log-level=error',
  ]);
}

/**
 * This service as started by `npm start`, with production logging. `wrapper` is a program that execs the rest of the
 * command line, such as `taskset`.
 */
export function startService(settings: Record<string, string> = {}, wrapper: readonly string[] = []): Promise<Running> {
  const [program = '', ...args] = [...wrapper, process.execPath, join(ROOT, 'dist', 'current', 'main.js')];
  return launch('robot-rest', program, args, (port) => ({
    HOME: home,
    SERVICE_PORT: String(port),
    SERVICE_API_KEYS: JSON.stringify({ keys: [KEY_RECORD] }),
    SERVICE_SOCKET_PATH: join(home, `${port}.sock`),
    SERVICE_JWT_SIGNING_KEY: KEY,
    SERVICE_ROBOT_ID: 'bench',
    ...settings,
  }));
}

export function startPeer(
  name: 'bare' | 'bare-events' | 'bare-routes' | 'fastify' | 'express',
  settings: Record<string, string> = {},
): Promise<Running> {
  return launch(name, process.execPath, [join(home, 'peers', `${name}.mjs`)], (port) => ({
    PORT: String(port),
    BENCH_KEY: KEY,
    NODE_ENV: 'production',
    PACKAGES: join(ROOT, 'package.json'),
    ...settings,
  }));
}

/** FastAPI, if Debian's packages are installed. */
export async function startFastApi(): Promise<Running | undefined> {
  if (!existsSync('/usr/bin/python3')) return undefined;
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import fastapi, uvicorn, jwt'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const script = join(ROOT, 'bench', 'peers', 'fastapi_peer.py');
  return launch('fastapi', '/usr/bin/python3', [script], (port) => ({
    PORT: String(port),
    BENCH_KEY: KEY,
    HOME: home,
  }));
}

/** An API key of every service: a token of the Unix socket could not be refreshed over TCP. */
export const API_KEY = `rk_${randomBytes(32).toString('base64url')}`;
const KEY_RECORD = {
  id: 'bench',
  name: 'bench',
  level: 'ADMIN',
  sha256: createHash('sha256').update(API_KEY).digest('hex'),
  created_at: new Date().toISOString(),
  revoked_at: null,
};

export { home };
