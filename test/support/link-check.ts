import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { TestBroker } from './mosquitto.ts';
import { broker, robots } from './python-example.ts';
import { PythonRobot, type RobotProgram } from './python-robot.ts';
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

/** Checks a robot that is sound: again where this machine has stalled, which ends what the robot was doing. */
export async function expectSound(
  broker: TestBroker,
  options: readonly string[],
  open: readonly string[],
): Promise<void> {
  for (let times = 1; ; times += 1) {
    const { code, stdout } = await linkCheck(broker, options);
    if (code === 1 && times < 3) continue;
    expect([faultyIn(stdout), uncheckedIn(stdout), code]).toEqual([[], open, 0]);
    return;
  }
}

/** Starts a robot that connects to this port in place of its broker. */
export async function connectThrough(program: RobotProgram, port: number, environment: Record<string, string> = {}) {
  const args = ['127.0.0.1', String(port), 'robot-1'];
  const password = { ROBOT_MQTT_PASSWORD: broker.password('robot-1') };
  robots.push(new PythonRobot(program, args, { ...password, ...environment }));
}
