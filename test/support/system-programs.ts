import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './processes.ts';
import { temporaryFolder } from './world.ts';

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A program of the operating system that runs for a test, with its output in a file. */
export interface RunningProgram {
  readonly child: ChildProcess;
  readonly logPath: string;
  /** Ends it by its own process id, and waits until it has gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export function startSystemProgram(
  command: string,
  args: readonly string[],
  { folder, environment = {} }: { folder: string; environment?: Record<string, string> },
): RunningProgram {
  const logPath = join(folder, `${command.split('/').pop()}-${Math.random().toString(36).slice(2, 8)}.log`);
  const log = createWriteStream(logPath);
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // One that ends must not end the log of the other: a program whose output nobody reads any more stands still.
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  child.on('close', () => log.end());
  running.add(child);
  // Its own end, not that of its output, which may be shared with what it started.
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  child.on('exit', () => running.delete(child));
  child.on('error', () => undefined); // told by what then waits in vain
  return {
    child,
    logPath,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}

export interface PrivateBus {
  readonly folder: string;
  /** What DBUS_SYSTEM_BUS_ADDRESS has to say. */
  readonly address: string;
  /** The configuration file, for a daemon that has to be started elsewhere. */
  readonly configPath: string;
  stop(): Promise<void>;
}

/** A system bus of the test's own, on which everybody may do everything. */
export async function startPrivateBus(): Promise<PrivateBus> {
  const files = privateBusFiles();
  const args = [`--config-file=${files.configPath}`, '--nofork', '--nopidfile'];
  const daemon = startSystemProgram('/usr/bin/dbus-daemon', args, { folder: files.folder });
  await until('the private bus', () => existsSync(files.socketPath));
  return { ...files, stop: () => daemon.stop() };
}

/** The files of a private bus that is not started yet. */
export function privateBusFiles() {
  const folder = temporaryFolder('robot-rest-bus-');
  const socketPath = join(folder, 'bus');
  const configPath = join(folder, 'bus.conf');
  writeFileSync(
    configPath,
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=${socketPath}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`,
  );
  return { folder, socketPath, configPath, address: `unix:path=${socketPath}` };
}
