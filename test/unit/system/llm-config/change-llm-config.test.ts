import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { changeLlmConfig } from '../../../../functions/system/llm-config/llm-config.ts';
import { handler as patch } from '../../../../functions/system/llm-config/patch-llm-config.handler.ts';
import { llmConfigFile, yamlWork } from '../../../../functions/system/llm-config/ports.ts';
import { invoke } from '../../../support/invoke.ts';
import { BEARER, change, configure, file, ports, read, TEXT, useLlmConfig } from '../../../support/llm-config.ts';
import { temporaryFolder } from '../../../support/world.ts';

useLlmConfig();

describe('Changing a key', () => {
  it('answers the previous value and keeps the previous file', async () => {
    const { status, headers, body } = await change('nested.deep.x', 2);
    expect(status).toBe(200);
    expect(body).toEqual({ command: 'nested.deep.x', value: 2, previous: 1 });
    expect(headers.etag).toBe((await read()).headers.etag);
    expect(readFileSync(file, 'utf8')).toBe(TEXT.replace('x: 1', 'x: 2'));
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe(TEXT);
  });

  it('leaves nothing else in the folder', async () => {
    await change('model', 'b');
    expect(readdirSync(join(file, '..')).sort()).toEqual(['llm.yaml', 'llm.yaml.bak']);
  });

  it('keeps the mode of the file', async () => {
    chmodSync(file, 0o644);
    await change('model', 'b');
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  const itAsRoot = process.getuid?.() === 0 ? it : it.skip;
  itAsRoot('keeps the owner of the file when run by root', async () => {
    chownSync(file, 12_345, 54_321);
    expect((await change('model', 'b')).status).toBe(200);
    expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 54_321 });
  });

  it('follows and keeps a symbolic link', async () => {
    const link = join(temporaryFolder(), 'link.yaml');
    symlinkSync(file, link);
    configure({ SERVICE_LLM_CONFIG_PATH: link });
    expect((await change('model', 'b')).status).toBe(200);
    expect(readFileSync(file, 'utf8')).toBe(TEXT.replace('model: a', 'model: b'));
    expect(readFileSync(link, 'utf8')).toBe(readFileSync(file, 'utf8'));
  });

  it('writes nothing when the value is unchanged', async () => {
    expect((await change('max_tokens', 512)).body).toEqual({ command: 'max_tokens', value: 512, previous: 512 });
    expect(existsSync(`${file}.bak`)).toBe(false);
  });

  it('accepts and preserves a whole double beyond 2^53', async () => {
    const body = '{"command":"nested.deep.x","value":1e16}';
    const answer = await invoke(patch, { ports, method: 'PATCH', headers: BEARER, body });
    expect([answer.status, readFileSync(file, 'utf8')]).toEqual([200, TEXT.replace('x: 1', 'x: 1.0e+16')]);
    const again = await invoke(patch, {
      ports,
      method: 'PATCH',
      headers: BEARER,
      body: body.replace('1e16', '10000000000000000'),
    });
    expect([again.status, again.body.errors[0].pointer]).toEqual([422, '/value']);
  });

  it('answers every digit of the previous value', async () => {
    writeFileSync(file, 'seed: 12345678901234567890\n');
    const wish = { key: 'seed', value: 1, ifMatch: undefined };
    const { answer } = await changeLlmConfig(
      { llmConfigFile: await ports.get(llmConfigFile), yamlWork: await ports.get(yamlWork) },
      wish,
    );
    expect(answer).toBe('{"command":"seed","value":1,"previous":12345678901234567890}');
  });

  it.each([
    [{ command: 'none', value: 1 }, 404, 'config_key_not_found', '/command'],
    [{ command: 'max_tokens', value: '512' }, 422, 'wrong_value_type', '/value'],
    [{ command: 'max_tokens', value: 2 ** 53 }, 422, 'validation_failed', '/value'],
    [{ command: 'nested', value: { deep: [2 ** 60] } }, 422, 'validation_failed', '/value/deep/0'],
    [{ command: 'model', value: 'half \ud83d' }, 422, 'validation_failed', '/value'],
    [{ command: 'model' }, 422, 'validation_failed', '/value'],
    [{ value: 1 }, 422, 'validation_failed', '/command'],
    [{ command: '', value: 1 }, 422, 'validation_failed', '/command'],
    [{ command: 'model', value: 'b', extra: 1 }, 422, 'validation_failed', '/extra'],
  ])('%j is refused', async (body, status, code, pointer) => {
    const answer = await invoke(patch, { ports, method: 'PATCH', headers: BEARER, body });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body.errors[0].pointer).toBe(pointer);
    expect(readFileSync(file, 'utf8')).toBe(TEXT);
  });

  it('is refused when the file would grow too large', async () => {
    writeFileSync(file, `a: ${'x'.repeat(600_000)}\nb: y\n`);
    expect((await change('b', 'z'.repeat(500_000))).body.code).toBe('file_too_large');
  });
});

describe('A change with If-Match', () => {
  it('succeeds for the present state in either form, and for *', async () => {
    const json = (await read()).headers.etag ?? '';
    expect((await change('max_tokens', 1, { 'if-match': `"other", ${json}` })).status).toBe(200);
    const yaml = (await read({ accept: 'application/yaml' })).headers.etag ?? '';
    expect((await change('max_tokens', 2, { 'if-match': yaml })).status).toBe(200);
    expect((await change('max_tokens', 3, { 'if-match': '*' })).status).toBe(200);
  });

  it.each(['"other"', '', 'W/"x"'])('%s is refused without any change', async (tag) => {
    const { status, body } = await change('max_tokens', 1, { 'if-match': tag });
    expect([status, body.code]).toEqual([412, 'precondition_failed']);
    expect(readFileSync(file, 'utf8')).toBe(TEXT);
  });

  it('succeeds for a tag that a proxy has weakened', async () => {
    const { etag } = (await read()).headers;
    expect((await change('max_tokens', 1, { 'if-match': `W/${etag}` })).status).toBe(200);
  });

  it('lets one of many simultaneous changes through', async () => {
    const { etag = '' } = (await read()).headers;
    const answers = await Promise.all(
      [...Array(12).keys()].map((value) => change('max_tokens', value, { 'if-match': etag })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(412)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await read()).body.max_tokens).toBe(winner);
  });

  it('that is absent keeps all simultaneous changes of different keys', async () => {
    const keys = [...Array(10).keys()].map((index) => `k${index}`);
    writeFileSync(file, keys.map((key) => `${key}: 0\n`).join(''));
    await Promise.all(keys.map((key, index) => change(key, index)));
    expect((await read()).body).toEqual(Object.fromEntries(keys.map((key, index) => [key, index])));
  });
});

describe('A lock left behind by a killed process', () => {
  it('is taken over', async () => {
    mkdirSync(`${file}.lock`);
    utimesSync(`${file}.lock`, new Date(0), new Date(0));
    expect((await change('max_tokens', 1)).status).toBe(200);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});

describe('A configuration saved by hand at the same moment', () => {
  it('wins, and the change fails as busy', async () => {
    const config = await ports.get(llmConfigFile);
    const changing = config.update(async (present) => {
      writeFileSync(file, 'saved: by hand\n');
      return { bytes: Buffer.concat([present, Buffer.from('b: 1\n')]), result: undefined };
    });
    await expect(changing).rejects.toMatchObject({ code: 'busy' });
    expect(readFileSync(file, 'utf8')).toBe('saved: by hand\n');
    expect(existsSync(`${file}.bak`)).toBe(false);
  });
});
