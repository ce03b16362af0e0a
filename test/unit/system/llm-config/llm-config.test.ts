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
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Ports } from '../../../../functions/shared/port.ts';
import { llmConfigFile } from '../../../../functions/shared/ports.ts';
import { handler as get } from '../../../../functions/system/llm-config/get-llm-config.handler.ts';
import { changeLlmConfig, readLlmConfig } from '../../../../functions/system/llm-config/llm-config.ts';
import { handler as patch } from '../../../../functions/system/llm-config/patch-llm-config.handler.ts';
import { jsonText } from '../../../../functions/system/llm-config/yaml/config-value.ts';
import { callersAre } from '../../../support/caller.ts';
import { type Answer, invoke } from '../../../support/invoke.ts';
import { asNobody, giveToNobody } from '../../../support/nobody.ts';
import { temporaryFolder, testConfig, testPorts } from '../../../support/world.ts';

const BEARER = { authorization: 'Bearer t' };
const TEXT = '# mine\nmodel: a # which\nmax_tokens: 512\nnested:\n  deep: {x: 1}\n';

let file: string;
let ports: Ports;

beforeEach(() => {
  file = join(temporaryFolder(), 'llm.yaml');
  writeFileSync(file, TEXT);
  ports = portsFor({ SERVICE_LLM_CONFIG_PATH: file });
});
afterEach(() => ports.close());

function portsFor(settings: Record<string, string>): Ports {
  return testPorts({ config: testConfig(settings), given: [callersAre('ENCHANTER')] });
}

function read(headers: Record<string, string> = {}): Promise<Answer> {
  return invoke(get, { ports, headers: { ...BEARER, ...headers } });
}

function change(command: string, value: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return invoke(patch, { ports, method: 'PATCH', headers: { ...BEARER, ...headers }, body: { command, value } });
}

describe('Reading the configuration', () => {
  it('answers it as JSON, with an entity tag', async () => {
    const { status, headers, body } = await read();
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(headers.etag).toMatch(/^"[\w-]+"$/);
    expect(body).toEqual({ model: 'a', max_tokens: 512, nested: { deep: { x: 1 } } });
  });

  it.each(['application/yaml', 'text/yaml', 'application/json;q=0.5, application/x-yaml'])(
    'answers the bytes of the file for Accept: %s',
    async (accept) => {
      const { headers, body } = await read({ accept });
      expect(headers['content-type']).toBe('application/yaml');
      expect(Buffer.from(TEXT).equals(body)).toBe(true);
    },
  );

  it.each(['*/*', 'application/json', 'application/yaml;q=0', 'application/yaml;q=high', 'text/html'])(
    'answers JSON for Accept: %s',
    async (accept) => {
      expect((await read({ accept })).headers['content-type']).toBe('application/json');
    },
  );

  it('names a header that is out of bounds', async () => {
    const { status, body } = await read({ accept: 'a'.repeat(1001) });
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ pointer: 'header:accept' })]]);
  });

  it('answers 304 to a client that has it, each form for itself', async () => {
    const json = (await read()).headers.etag ?? '';
    const yaml = (await read({ accept: 'application/yaml' })).headers.etag ?? '';
    expect(yaml).not.toBe(json);
    expect((await read({ 'if-none-match': json })).status).toBe(304);
    expect((await read({ 'if-none-match': json, accept: 'application/yaml' })).status).toBe(200);
    expect((await read({ 'if-none-match': yaml, accept: 'application/yaml' })).status).toBe(304);
  });

  it('loses no digit of a large integer, and names what JSON has no word for', async () => {
    writeFileSync(
      file,
      'a: 12345678901234567890\nb: -9007199254740993\nc: 0x20000000000001\nd: .nan\ne: -.Inf\nf: .inf\n',
    );
    const { value } = await readLlmConfig(await ports.get(llmConfigFile));
    expect(jsonText(value)).toBe(
      '{"a":12345678901234567890,"b":-9007199254740993,"c":9007199254740993,"d":".nan","e":"-.inf","f":".inf"}',
    );
  });

  it('writes out aliases and merge keys', async () => {
    writeFileSync(file, 'base: &b {x: 1}\nmine:\n  <<: *b\n  y: 2\nlist: [*b]\n');
    expect((await read()).body).toEqual({ base: { x: 1 }, mine: { x: 1, y: 2 }, list: [{ x: 1 }] });
  });

  it('answers an empty map for a file that holds comments only', async () => {
    writeFileSync(file, '# nothing yet\n');
    expect((await read()).body).toEqual({});
  });
});

describe('A file that somebody broke by hand', () => {
  it.each([
    ['bad indentation', 'a: 1\n b: 2\n', 2, 3],
    ['a key that stands twice', 'a: 1\nb: 2\na: 3\n', 3, 1],
    ['an unknown alias', 'a: *nobody\n', 1, 4],
    ['a number that its tag does not fit', 'a: 1\nb: !!int x\n', 2, 4],
    ['a bracket that is not closed', 'a: [1\nb: 2\n', 2, 1],
    ['a list at the top', '\n- a\n', 2, 1],
    ['two documents', 'a: 1\n---\nb: 2\n', 3, 1],
    ['a second document that is a word', 'a: 1\n---\nword\n', 3, 1],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0xe9, 0x0a]), 1, 4],
    ['a NUL', 'a: 1\nb: \0\n', 2, 4],
  ] as const)('%s: line and column are named, and it stays as it is', async (_what, content, line, column) => {
    writeFileSync(file, content);
    for (const answer of [await read(), await read({ accept: 'application/yaml' }), await change('a', 1)]) {
      expect(answer.status).toBe(500);
      expect(answer.body).toMatchObject({ code: 'config_unreadable', line });
      expect(answer.body.detail).toContain(`line ${line}, column`);
      expect(Math.abs(answer.body.column - column)).toBeLessThanOrEqual(1);
    }
    expect(readFileSync(file).equals(Buffer.from(content))).toBe(true);
  });

  it.each([
    [
      'a bomb of aliases',
      [
        'a: &a [x,x,x,x,x,x,x,x,x,x]',
        ...'bcdefghi'.split('').map((name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefgh'[index]}`)}]`),
      ].join('\n'),
    ],
    ['a circle', 'a: &a [*a]\n'],
    ['a second document that holds nothing', 'a: 1\n---\n'],
    ['a key that is a list', '? [p, q]\n: 1\n'],
    ['nesting without end', `a: ${'['.repeat(5000)}${']'.repeat(5000)}\n`],
    ['more than a megabyte', `a: ${'x'.repeat(1024 * 1024)}\n`],
  ])('%s is refused', async (_what, content) => {
    writeFileSync(file, content);
    const { status, body } = await read();
    expect([status, body.code]).toEqual([500, 'config_unreadable']);
  });
});

describe('A file that is not there or not allowed', () => {
  it('is an error that says where to put it', async () => {
    ports = portsFor({ SERVICE_MODE: 'robot', SERVICE_LLM_CONFIG_PATH: '/nowhere/llm.yaml' });
    for (const { status, body } of [await read(), await change('a', 1)]) {
      expect([status, body.code]).toEqual([503, 'component_unavailable']);
      expect(body.detail).toContain('SERVICE_LLM_CONFIG_PATH');
    }
  });

  it('is an error that says what to do when it may not be changed', async () => {
    // A file of the kernel, beside which nobody may put anything, root included.
    ports = portsFor({ SERVICE_LLM_CONFIG_PATH: '/sys/kernel/notes' });
    const config = await ports.get(llmConfigFile);
    await expect(config.update(() => ({ bytes: Buffer.from('a: 2'), result: undefined }))).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringContaining('write permission'),
    });
  });

  it('is an error when the user of the service may not read it', async () => {
    const folder = giveToNobody(temporaryFolder());
    ports = portsFor({ SERVICE_LLM_CONFIG_PATH: join(folder, 'llm.yaml') });
    writeFileSync(join(folder, 'llm.yaml'), TEXT, { mode: 0 });
    const { body } = await asNobody(() => read());
    expect(body).toMatchObject({ code: 'config_unreadable', detail: expect.stringContaining('may not read it') });
  });

  it('is an error when it is a folder', async () => {
    ports = portsFor({ SERVICE_LLM_CONFIG_PATH: temporaryFolder() });
    expect((await read()).body.code).toBe('config_unreadable');
  });
});

describe('Changing a key', () => {
  it('answers what stood there, and keeps the previous file', async () => {
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

  it('lets others read the file who could read it before', async () => {
    chmodSync(file, 0o644);
    await change('model', 'b');
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  const itAsRoot = process.getuid?.() === 0 ? it : it.skip;
  itAsRoot('by root leaves the file to whom it belonged', async () => {
    chownSync(file, 12_345, 54_321);
    expect((await change('model', 'b')).status).toBe(200);
    expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 54_321 });
  });

  it('follows a symbolic link and leaves it one', async () => {
    const link = join(temporaryFolder(), 'link.yaml');
    symlinkSync(file, link);
    ports = portsFor({ SERVICE_LLM_CONFIG_PATH: link });
    expect((await change('model', 'b')).status).toBe(200);
    expect(readFileSync(file, 'utf8')).toBe(TEXT.replace('model: a', 'model: b'));
    expect(readFileSync(link, 'utf8')).toBe(readFileSync(file, 'utf8'));
  });

  it('writes nothing when the value stands there already', async () => {
    expect((await change('max_tokens', 512)).body).toEqual({ command: 'max_tokens', value: 512, previous: 512 });
    expect(existsSync(`${file}.bak`)).toBe(false);
  });

  it('takes a whole double beyond 2^53 and keeps it one', async () => {
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

  it('sends back every digit of what stood there', async () => {
    writeFileSync(file, 'seed: 12345678901234567890\n');
    const wish = { key: 'seed', value: 1, ifMatch: undefined };
    const { previous } = await changeLlmConfig(await ports.get(llmConfigFile), wish);
    expect(jsonText(previous)).toBe('12345678901234567890');
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
  it('goes through for the present state, in either form, and for *', async () => {
    const json = (await read()).headers.etag ?? '';
    expect((await change('max_tokens', 1, { 'if-match': `"other", ${json}` })).status).toBe(200);
    const yaml = (await read({ accept: 'application/yaml' })).headers.etag ?? '';
    expect((await change('max_tokens', 2, { 'if-match': yaml })).status).toBe(200);
    expect((await change('max_tokens', 3, { 'if-match': '*' })).status).toBe(200);
  });

  it.each(['"other"', '', 'W/"x"'])('%s is refused and nothing changes', async (tag) => {
    const { status, body } = await change('max_tokens', 1, { 'if-match': tag });
    expect([status, body.code]).toEqual([412, 'precondition_failed']);
    expect(readFileSync(file, 'utf8')).toBe(TEXT);
  });

  it('is refused for a weak form of the right tag', async () => {
    const { etag } = (await read()).headers;
    expect((await change('max_tokens', 1, { 'if-match': `W/${etag}` })).status).toBe(412);
  });

  it('lets one of many at once through', async () => {
    const { etag = '' } = (await read()).headers;
    const answers = await Promise.all(
      [...Array(12).keys()].map((value) => change('max_tokens', value, { 'if-match': etag })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(412)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await read()).body.max_tokens).toBe(winner);
  });

  it('without it, changes of different keys at once all stay', async () => {
    const keys = [...Array(10).keys()].map((index) => `k${index}`);
    writeFileSync(file, keys.map((key) => `${key}: 0\n`).join(''));
    await Promise.all(keys.map((key, index) => change(key, index)));
    expect((await read()).body).toEqual(Object.fromEntries(keys.map((key, index) => [key, index])));
  });
});

describe('A lock that a killed process left behind', () => {
  it('is taken over', async () => {
    mkdirSync(`${file}.lock`);
    utimesSync(`${file}.lock`, new Date(0), new Date(0));
    expect((await change('max_tokens', 1)).status).toBe(200);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});

describe('A file that somebody saves at the same moment', () => {
  it('stays as they saved it, and the change is busy', async () => {
    const config = await ports.get(llmConfigFile);
    const changing = config.update((present) => {
      writeFileSync(file, 'saved: by hand\n');
      return { bytes: Buffer.concat([present, Buffer.from('b: 1\n')]), result: undefined };
    });
    await expect(changing).rejects.toMatchObject({ code: 'busy' });
    expect(readFileSync(file, 'utf8')).toBe('saved: by hand\n');
    expect(existsSync(`${file}.bak`)).toBe(false);
  });
});
