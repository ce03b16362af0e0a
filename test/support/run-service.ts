import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessLevel } from '../../functions/shared/access.ts';
import { until } from './processes.ts';
import { startTestService, type TestService } from './service.ts';
import { PYTHON } from './skill-service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Answer = any;

const UNDER_WAY = new Set(['starting', 'running', 'stopping']);

/** A service with skills of the test, and how their runs are started and read. */
export class RunService {
  readonly service: TestService;

  private constructor(service: TestService) {
    this.service = service;
  }

  static async start(settings: Record<string, string> = {}): Promise<RunService> {
    return new RunService(await startTestService({ settings: { SERVICE_SKILL_PYTHON: PYTHON, ...settings } }));
  }

  /** Puts a skill into the folder, with the decorator imported. */
  write(name: string, body: string): void {
    const path = join(this.service.ports.config.SERVICE_SKILLS_DIR, `${name}.py`);
    writeFileSync(path, `from robot_rest import skill\n\n${body}\n`);
    chmodSync(path, 0o644);
  }

  /** Puts a skill of one function without arguments into the folder; its body is indented. */
  writeBody(name: string, body: string): void {
    const lines = body.split('\n').map((line) => `    ${line}`);
    this.write(name, `@skill\nasync def ${name}(robot):\n${lines.join('\n')}`);
  }

  async post(path: string, body: object, level: AccessLevel = 'USER'): Promise<Answer> {
    return this.service.as(level, path, { method: 'POST', body });
  }

  async command(name: string, value?: unknown, level: AccessLevel = 'USER'): Promise<Answer> {
    return (await this.post(`/api/v2/commands/${name}/`, value === undefined ? {} : { value }, level)).json;
  }

  /** Starts a run. @returns its record. @throws if it is refused. */
  async run(skill: string, others: object = {}, level: AccessLevel = 'USER'): Promise<Answer> {
    const { status, text, json } = await this.post('/api/v2/runs/', { skill, ...others }, level);
    if (status !== 201) throw new Error(`${skill} was not started: ${text}`);
    return json;
  }

  async read(id: string, level: AccessLevel = 'USER'): Promise<Answer> {
    return (await this.service.as(level, `/api/v2/runs/${id}`)).json;
  }

  async lines(id: string): Promise<string[]> {
    const { json } = await this.service.as('USER', `/api/v2/runs/${id}/logs`);
    return json.entries.map(({ message }: { message: string }) => message);
  }

  /** Waits until a run has printed a line. */
  async printed(id: string, line: string): Promise<void> {
    await until(`the run prints ${line}`, async () => {
      if ((await this.lines(id)).includes(line)) return true;
      const run = await this.read(id);
      if (!UNDER_WAY.has(run.state)) throw new Error(`the run has ended: ${JSON.stringify(run)}`);
      return false;
    });
  }

  /** Waits for the end of a run. @returns its record. */
  async ended(id: string): Promise<Answer> {
    await until(`run ${id} has ended`, async () => !UNDER_WAY.has((await this.read(id)).state));
    return this.read(id);
  }

  /** Starts a run and waits for its end. */
  async complete(skill: string, others: object = {}): Promise<Answer> {
    return this.ended((await this.run(skill, others)).id);
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}

/** Ids of the processes of a run, and of the sandboxes around them. */
export function processesOf(runId: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => textOf(`/proc/${pid}/environ`).includes(runId) || textOf(`/proc/${pid}/cmdline`).includes(runId))
    .map(Number);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Whether skills of the tests run under bubblewrap here, where it must be on CI. */
export const BUBBLEWRAP = '/usr/bin/bwrap';
