import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestBroker } from './mosquitto.ts';
import { ROOT } from './sources.ts';
import { temporaryFolder } from './world.ts';

interface Checked {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `link check` on robot-1 behind a broker, with these options. */
export async function linkCheck(broker: TestBroker, options: readonly string[]): Promise<Checked> {
  return link(['check', broker.url('service', '/robot-1'), ...options]);
}

/** Runs the command with these arguments. */
export function link(args: readonly string[], environment: Record<string, string> = {}): Promise<Checked> {
  const program = [...['--import', 'tsx', 'local-host/cli/link.ts'], ...args];
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const child = spawn(process.execPath, program, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, ...said }));
  });
}

/** The names of the checks that found faults, in a report. */
export const faultyIn = (report: string): string[] =>
  [...report.matchAll(/^FAULT +(\S+)/gm)].map(([, name]) => name ?? '');

/** The names of the checks that were left out, in a report. */
export const uncheckedIn = (report: string): string[] =>
  [...report.matchAll(/^- +(\S+)/gm)].map(([, name]) => name ?? '');

/** A file with the robot's own password. */
export function passwordFile(broker: TestBroker): string {
  const path = join(temporaryFolder(), 'robot.password');
  writeFileSync(path, `${broker.password('robot-1')}\n`, { mode: 0o600 });
  return path;
}
