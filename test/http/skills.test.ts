import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { run } from '../support/run.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const PYTHON = '/usr/bin/python3';
const SOURCE = '@skill(access_level="ADMIN", description="Greet.")\ndef greet():\n    pass\n';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { SERVICE_SKILL_PYTHON: PYTHON } });
});
afterAll(() => service.stop());

const folder = () => service.ports.config.SERVICE_SKILLS_DIR;

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

function form(parts: string): { headers: Record<string, string>; body: string } {
  return { headers: { 'content-type': 'multipart/form-data; boundary=XX' }, body: `${parts}--XX--\r\n` };
}
const part = (fileName: string, text = SOURCE) =>
  `--XX\r\nContent-Disposition: form-data; name="skill"; filename="${fileName}"\r\n\r\n${text}\r\n`;

describe('A fresh start', () => {
  it('has two example skills, which can be read', async () => {
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

describe('A download', () => {
  beforeAll(() =>
    service.as('ADMIN', '/api/v2/skill/upload/', { method: 'POST', ...form(part('disabled.fetched.py')) }),
  );
  const path = '/api/v2/skill/download/fetched';

  it('is an attachment with its file name, and HEAD tells the same', async () => {
    const got = await service.as('ADMIN', path);
    const head = await service.as('ADMIN', path, { method: 'HEAD' });
    for (const { status, headers } of [got, head]) {
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/x-python',
        'content-disposition': 'attachment; filename="disabled.fetched.py"',
        'content-length': String(SOURCE.length),
        etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      });
    }
    expect([got.text, head.text]).toEqual([SOURCE, '']);
  });

  it('is 304 while the file is the one the client has', async () => {
    const { headers } = await service.as('ADMIN', path);
    const again = await service.as('ADMIN', path, { headers: { 'if-none-match': String(headers.etag) } });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    const other = await service.as('ADMIN', path, { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });
});

describe('What cannot be', () => {
  it.each([
    '../x.py',
    '..%2fx.py',
    '/tmp/x.py',
    'x\0.py',
    '.py',
    'gr\u0435et.py',
    `${'a'.repeat(300)}.py`,
    'disabled.disabled.x.py',
  ])('the file name %j is refused with a reason, and nothing is written', async (name) => {
    const before = readdirSync(folder());
    const { status, json } = await service.as('ADMIN', '/api/v2/skill/upload/', {
      method: 'POST',
      ...form(part(name)),
    });
    expect([status, json.code, json.errors[0].pointer]).toEqual([422, 'validation_failed', '/skill']);
    expect(json.detail).toContain('A skill name has');
    expect(readdirSync(folder())).toEqual(before);
  });

  it.each([
    ['GET', '/download/..%2f..%2fetc%2fpasswd', undefined, 'path:skill_name'],
    ['GET', '/download/x%00.py', undefined, 'path:skill_name'],
    ['DELETE', '/remove/?skill_name=../x', undefined, 'query:skill_name'],
    ['DELETE', '/remove/', undefined, 'query:skill_name'],
    ['DELETE', '/remove/?skill_name=x&other=1', undefined, 'query:other'],
    ['DELETE', '/remove/?skill_name=x&skill_name=y', undefined, 'query:skill_name'],
    ['PATCH', '/enable/', { command: '../x', value: true }, '/command'],
    ['PATCH', '/enable/', { command: 'x', value: 'true' }, '/value'],
    ['PATCH', '/enable/', { command: 'x', value: true, more: 1 }, '/more'],
    ['PATCH', '/rename/', { old_name: 'x', new_name: 'x.txt' }, '/new_name'],
    ['PATCH', '/rename/', { old_name: 7, new_name: 'x' }, '/old_name'],
  ])('%s %s %j is a 422 that points at %s', async (method, path, body, pointer) => {
    const { status, json } = await service.as('ADMIN', `/api/v2/skill${path}`, { method, body });
    expect([status, json.errors?.[0]?.pointer]).toEqual([422, pointer]);
  });

  it('a source that is no Python is refused with line and column', async () => {
    const call = { method: 'POST', ...form(part('broken.py', 'x = 1\ndef f(:\n')) };
    const { status, json } = await service.as('ADMIN', '/api/v2/skill/upload/', call);
    expect([status, json.code]).toEqual([422, 'invalid_python']);
    expect(json.detail).toBe('broken.py is not valid Python: line 2, column 7: invalid syntax.');
  });

  it.each([
    ['no form', { headers: { 'content-type': 'application/json' }, body: '{}' }, 415, 'unsupported_media_type'],
    ['a broken form', { ...form(''), body: 'text' }, 400, 'malformed_multipart'],
    ['a form that was cut off', { ...form(''), body: part('x.py') }, 400, 'malformed_multipart'],
    ['no body', { ...form(''), body: '' }, 400, 'malformed_multipart'],
    ['two files', form(part('x.py') + part('y.py')), 400, 'malformed_multipart'],
    ['too much', form(part('x.py', '#'.repeat(1024 * 1024))), 413, 'too_large'],
  ])('%s is refused', async (_what, call, status, code) => {
    const answer = await service.as('ADMIN', '/api/v2/skill/upload/', { method: 'POST', ...call });
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it.each([
    ['POST', 'upload/'],
    ['DELETE', 'remove/'],
    ['GET', 'list/'],
    ['PATCH', 'enable/'],
    ['GET', 'download/x'],
    ['PATCH', 'rename/'],
  ])('%s %s is not for everybody', async (method, path) => {
    const nobody = await service.as(undefined, `/api/v2/skill/${path}`, { method });
    expect([nobody.status, nobody.json.code]).toEqual([401, 'missing_token']);
    const user = await service.as('USER', `/api/v2/skill/${path}`, { method });
    expect([user.status, user.json.code]).toEqual([403, 'insufficient_access']);
  });
});

describe('The audit trail', () => {
  it('keeps who changed which skill, and how it ended', async () => {
    const call = async (method: string, path: string, body?: unknown) =>
      service.as('ADMIN', `/api/v2/skill/${path}`, body === undefined ? { method } : { method, body });
    await service.as('ADMIN', '/api/v2/skill/upload/', { method: 'POST', ...form(part('disabled.kept.py')) });
    await call('PATCH', 'enable/', { command: 'kept.py', value: true });
    await call('PATCH', 'rename/', { old_name: 'kept', new_name: 'told.py' });
    await call('DELETE', 'remove/?skill_name=told');
    await call('DELETE', 'remove/?skill_name=told');
    await service.as('USER', '/api/v2/skill/enable/', { method: 'PATCH', body: { command: 'told', value: true } });
    const { json } = await service.as('ENCHANTER', '/api/v2/audit/?limit=6');
    const kept = json.entries.reverse();
    const shown = kept.map(({ action, subject, outcome }: Record<string, unknown>) => [action, subject, outcome]);
    expect(shown).toEqual([
      ['skill.upload', { skill: 'kept', enabled: false, bytes: SOURCE.length, sha256: expect.any(String) }, 'ok'],
      ['skill.enable', { skill: 'kept', enabled: true }, 'ok'],
      ['skill.rename', { skill: 'kept', new_name: 'told' }, 'ok'],
      ['skill.remove', { skill: 'told' }, 'ok'],
      ['skill.remove', { skill: 'told' }, 'skill_not_found'],
      ['skill.enable', {}, 'insufficient_access'],
    ]);
  });
});
