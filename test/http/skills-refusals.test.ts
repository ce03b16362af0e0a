import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { folder, form, part, SOURCE, service, useSkillService } from '../support/skill-service.ts';

useSkillService();

describe('A download', () => {
  beforeAll(() =>
    service.as('ADMIN', '/api/v2/skill/upload/', { method: 'POST', ...form(part('disabled.fetched.py')) }),
  );
  const path = '/api/v2/skill/download/fetched';

  it('is an attachment with its file name, for HEAD as well', async () => {
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

  it('is 304 while the client has the current file', async () => {
    const { headers } = await service.as('ADMIN', path);
    const again = await service.as('ADMIN', path, { headers: { 'if-none-match': String(headers.etag) } });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    const other = await service.as('ADMIN', path, { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });
});

describe('An invalid request', () => {
  it.each([
    '../x.py',
    '..%2fx.py',
    '/tmp/x.py',
    'x\0.py',
    '.py',
    'gr\u0435et.py',
    `${'a'.repeat(300)}.py`,
    'disabled.disabled.x.py',
  ])('with the file name %j is refused with a reason, and nothing is written', async (name) => {
    const before = readdirSync(folder());
    const { status, json } = await service.as('ADMIN', '/api/v2/skill/upload/', {
      method: 'POST',
      ...form(part(name)),
    });
    expect([status, json.code, json.errors[0].pointer]).toEqual([422, 'validation_failed', '/skill']);
    expect(json.detail).toContain('A skill name must be');
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
  ])('%s %s %j is 422 pointing at %s', async (method, path, body, pointer) => {
    const { status, json } = await service.as('ADMIN', `/api/v2/skill${path}`, { method, body });
    expect([status, json.errors?.[0]?.pointer]).toEqual([422, pointer]);
  });

  it('with invalid Python is refused with line and column', async () => {
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
  ])('%s %s requires a token and a higher access level', async (method, path) => {
    const nobody = await service.as(undefined, `/api/v2/skill/${path}`, { method });
    expect([nobody.status, nobody.json.code]).toEqual([401, 'missing_token']);
    const user = await service.as('USER', `/api/v2/skill/${path}`, { method });
    expect([user.status, user.json.code]).toEqual([403, 'insufficient_access']);
  });
});

describe('The audit trail', () => {
  it('records who changed which skill, and the outcome', async () => {
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
