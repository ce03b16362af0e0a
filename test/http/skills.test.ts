import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { run } from '../support/run.ts';
import { folder, form, PYTHON, part, SOURCE, service, useSkillService } from '../support/skill-service.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

useSkillService();

function file(name: string, text = SOURCE): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

/** One request by curl: `[status, body]`. */
async function curl(path: string, ...args: string[]): Promise<[status: number, body: string]> {
  const authorization = `Authorization: Bearer ${await service.token('ADMIN')}`;
  const output = await run('curl', [
    '-sS',
    '-H',
    authorization,
    '-w',
    '\n%{http_code}',
    ...args,
    `${service.url}${path}`,
  ]);
  const end = output.lastIndexOf('\n');
  return [Number(output.slice(end + 1)), output.slice(0, end)];
}

describe('A fresh installation', () => {
  it('has two readable example skills', async () => {
    const { status, json } = await service.as('ENCHANTER', '/api/v2/skill/list/');
    expect(status).toBe(200);
    expect(
      json.skills.map(({ name, functions }: { name: string; functions: unknown[] }) => [name, functions.length]),
    ).toEqual([
      ['look_around.py', 1],
      ['wave_hello.py', 1],
    ]);
  });
});

describe.each(['v1', 'v2'])('The life of a skill in %s', (version) => {
  const base = `/api/${version}/skill`;
  const json = ['-H', 'Content-Type: application/json'];

  it.each([
    ['greet', 'hail'],
    ['greet.py', 'hail.py'],
    ['disabled.greet', 'hail'],
    ['disabled.greet.py', 'hail.py'],
  ])('with curl, under the names %s and %s', async (name, renamed) => {
    const [uploaded, answer] = await curl(`${base}/upload/`, '-F', `skill=@${file('greet.py')};filename=${name}`);
    const { skill, replaced } = JSON.parse(answer);
    expect([uploaded, replaced]).toEqual([200, false]);
    expect(skill).toMatchObject({
      name: 'greet.py',
      enabled: !name.startsWith('disabled.'),
      size: SOURCE.length,
      functions: [{ name: 'greet', access_level: 'ADMIN', description: 'Greet.' }],
    });

    for (const value of [false, true, false]) {
      const [status, body] = await curl(
        `${base}/enable/`,
        '-X',
        'PATCH',
        ...json,
        '-d',
        JSON.stringify({ command: name, value }),
      );
      expect([status, JSON.parse(body).skill.enabled]).toEqual([200, value]);
    }
    expect(readdirSync(folder())).toContain('disabled.greet.py');

    const names = { old_name: name, new_name: renamed };
    const [moved, movedBody] = await curl(`${base}/rename/`, '-X', 'PATCH', ...json, '-d', JSON.stringify(names));
    expect([moved, JSON.parse(movedBody).skill]).toEqual([200, { ...skill, name: 'hail.py', enabled: false }]);
    expect(await curl(`${base}/download/${renamed}`)).toEqual([200, SOURCE]);
    const [, listed] = await curl(`${base}/list/`);
    expect(JSON.parse(listed).skills).toContainEqual({ ...skill, name: 'hail.py', enabled: false });

    const [removed, gone] = await curl(`${base}/remove/?skill_name=${renamed}`, '-X', 'DELETE');
    expect([removed, JSON.parse(gone).skill.name]).toEqual([200, 'hail.py']);
    const [absent, problem] = await curl(`${base}/download/${renamed}`);
    expect([absent, JSON.parse(problem).code]).toEqual([404, 'skill_not_found']);
  });
});

describeWith('aiohttp for Python', '/usr/lib/python3/dist-packages/aiohttp', 'The life of a skill', () => {
  it.each(['v1', 'v2'])('with a Python client in %s', async (version) => {
    const script = join(ROOT, 'test/support/skill_client.py');
    const output = await run(PYTHON, [script, `${service.url}/api/${version}`, await service.token('ADMIN')]);
    const steps = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const status = Object.fromEntries(steps.map(({ step, status }) => [step, status]));
    expect(status).toEqual({ upload: 200, enable: 200, rename: 200, download: 200, list: 200, remove: 200, gone: 404 });
    const body = Object.fromEntries(steps.map(({ step, body }) => [step, body]));
    expect(body.upload).toMatchObject({ replaced: false, skill: { name: 'by_python.py', enabled: false } });
    expect(body.enable.skill.enabled).toBe(true);
    expect(body.download).toContain('Say hello.');
    expect(body.remove.skill).toMatchObject({
      name: 'renamed.py',
      functions: [{ name: 'hello', description: 'Say hello.' }],
    });
  });
});

describe('The older forms', () => {
  it('answer on v1', async () => {
    await service.as('ADMIN', '/api/v1/skill/upload/', { method: 'POST', ...form(part('older.py')) });
    const switched = await service.as('ADMIN', '/api/v1/skill/enable/', {
      method: 'POST',
      body: { command: 'older', value: false },
    });
    expect([switched.status, switched.json.skill.enabled]).toEqual([200, false]);
    const removed = await service.as('ADMIN', '/api/v1/skill/remove/', {
      method: 'POST',
      body: { skill_name: 'older.py' },
    });
    expect([removed.status, removed.json.skill.name]).toEqual([200, 'older.py']);
  });

  it.each([
    ['remove', 'DELETE', { skill_name: 'x' }],
    ['enable', 'PATCH', { command: 'x', value: true }],
  ])('%s by POST is not allowed on v2', async (operation, allow, body) => {
    const answer = await service.as('ADMIN', `/api/v2/skill/${operation}/`, { method: 'POST', body });
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
  });
});
