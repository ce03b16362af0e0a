import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { http } from '../support/http.ts';
import { startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { processesOf } from '../support/run-service.ts';
import { PYTHON } from '../support/skill-service.ts';
import { temporaryFolder } from '../support/world.ts';

const DEAF = `from robot_rest import skill
import os, signal

@skill
async def deaf(robot):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("deaf", flush=True)
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
`;

/** A service of its own process with a run that ends by itself never. */
async function startWithRun(settings: Record<string, string>) {
  const home = temporaryFolder();
  const skills = join(home, 'skills');
  mkdirSync(skills);
  writeFileSync(join(skills, 'deaf.py'), DEAF);
  const environment = { HOME: home, SERVICE_SKILLS_DIR: skills, SERVICE_SKILL_PYTHON: PYTHON, ...settings };
  const service = await startProcess(environment);
  const ask = async (base: string, path: string, call = {}) => {
    const { json } = await http(base, '/api/v2/auth/');
    return http(base, path, { ...call, headers: { authorization: `Bearer ${json.token}` } });
  };
  const started = await ask(service.socketPath, '/api/v2/runs/', { method: 'POST', body: { skill: 'deaf' } });
  const { id } = started.json;
  await until('the skill runs', async () => {
    const { text } = await ask(service.socketPath, `/api/v2/runs/${id}/logs`);
    return text.includes('deaf');
  });
  return { service, environment, ask, id };
}

describe.each([
  ['with a sandbox, if there is one here', {}, {}],
  ['without a sandbox', { PATH: '/nonexistent' }, { sandbox: 'none' }],
])('A service whose run never ends, %s', (_what, settings, sandbox) => {
  it('leaves nothing of it when it is killed, and calls it lost afterwards', async () => {
    const { service, environment, ask, id } = await startWithRun(settings);
    expect(processesOf(id)).not.toEqual([]);
    await service.end('SIGKILL');
    await until('the run is gone', () => processesOf(id).length === 0);
    const next = await startProcess(environment);
    const run = (await ask(next.socketPath, `/api/v2/runs/${id}`)).json;
    expect(run).toMatchObject({ state: 'lost', skill: 'deaf', result: null, ...sandbox });
    expect(run.finished_at).not.toBeNull();
    await next.end();
  });

  it('ends it in order with a planned end', async () => {
    const { service, environment, ask, id } = await startWithRun(settings);
    expect((await service.end('SIGTERM')).code).toBe(0);
    await until('the run is gone', () => processesOf(id).length === 0);
    const next = await startProcess(environment);
    expect((await ask(next.socketPath, `/api/v2/runs/${id}`)).json.state).toBe('stopped');
    await next.end();
  });
});
