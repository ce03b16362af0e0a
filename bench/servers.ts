import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** One signing key for all, so that one token is good everywhere. */
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

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
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
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

/** What the servers log goes to a file, as under systemd it goes to the journal. */
const home = mkdtempSync(join(tmpdir(), 'robot-rest-bench-'));
const log = openSync(join(home, 'log'), 'a');
const running = new Set<ChildProcess>();
/** A bench that fails leaves nobody running and nothing behind. */
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
  const entries = ['bare', 'bare-routes', 'fastify', 'express'].map((name) =>
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

/** This service, as `npm start` runs it, logging as it does in production. */
export function startService(settings: Record<string, string> = {}): Promise<Running> {
  return launch('robot-rest', process.execPath, [join(ROOT, 'dist', 'current', 'main.js')], (port) => ({
    HOME: home,
    SERVICE_PORT: String(port),
    SERVICE_SOCKET_PATH: join(home, `${port}.sock`),
    SERVICE_JWT_SIGNING_KEY: KEY,
    SERVICE_ROBOT_ID: 'bench',
    ...settings,
  }));
}

export function startPeer(
  name: 'bare' | 'bare-routes' | 'fastify' | 'express',
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

/** FastAPI, when Debian's packages are installed. */
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

export { home };
