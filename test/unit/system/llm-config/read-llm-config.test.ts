import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readLlmConfig } from '../../../../functions/system/llm-config/llm-config.ts';
import { llmConfigFile, yamlWork } from '../../../../functions/system/llm-config/ports.ts';
import { change, configure, file, ports, read, TEXT, useLlmConfig } from '../../../support/llm-config.ts';
import { asNobody, giveToNobody } from '../../../support/nobody.ts';
import { temporaryFolder } from '../../../support/world.ts';

useLlmConfig();

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

  it('names a header that is too long', async () => {
    const { status, body } = await read({ accept: 'a'.repeat(1001) });
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ pointer: 'header:accept' })]]);
  });

  it('answers 304 per form to a client that has it', async () => {
    const json = (await read()).headers.etag ?? '';
    const yaml = (await read({ accept: 'application/yaml' })).headers.etag ?? '';
    expect(yaml).not.toBe(json);
    expect((await read({ 'if-none-match': json })).status).toBe(304);
    expect((await read({ 'if-none-match': json, accept: 'application/yaml' })).status).toBe(200);
    expect((await read({ 'if-none-match': yaml, accept: 'application/yaml' })).status).toBe(304);
  });

  it('keeps every digit of large integers and names values JSON lacks', async () => {
    writeFileSync(
      file,
      'a: 12345678901234567890\nb: -9007199254740993\nc: 0x20000000000001\nd: .nan\ne: -.Inf\nf: .inf\n',
    );
    const { json } = await readLlmConfig({
      llmConfigFile: await ports.get(llmConfigFile),
      yamlWork: await ports.get(yamlWork),
    });
    expect(json.toString()).toBe(
      '{"a":12345678901234567890,"b":-9007199254740993,"c":9007199254740993,"d":".nan","e":"-.inf","f":".inf"}',
    );
  });

  it('writes out aliases and merge keys', async () => {
    writeFileSync(file, 'base: &b {x: 1}\nmine:\n  <<: *b\n  y: 2\nlist: [*b]\n');
    expect((await read()).body).toEqual({ base: { x: 1 }, mine: { x: 1, y: 2 }, list: [{ x: 1 }] });
  });

  it('answers an empty map for a file with comments only', async () => {
    writeFileSync(file, '# nothing yet\n');
    expect((await read()).body).toEqual({});
  });
});

describe('A configuration broken by hand', () => {
  it.each([
    ['bad indentation', 'a: 1\n b: 2\n', 2, 3],
    ['an unknown alias', 'a: *nobody\n', 1, 4],
    ['a number that its tag does not fit', 'a: 1\nb: !!int x\n', 2, 4],
    ['a bracket that is not closed', 'a: [1\nb: 2\n', 2, 1],
    ['a list at the top', '\n- a\n', 2, 1],
    ['two documents', 'a: 1\n---\nb: 2\n', 3, 1],
    ['a second document that is a word', 'a: 1\n---\nword\n', 3, 1],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0xe9, 0x0a]), 1, 4],
    ['a NUL', 'a: 1\nb: \0\n', 2, 4],
  ] as const)('reports line and column of %s and leaves the file unchanged', async (_what, content, line, column) => {
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

describe('A configuration file that is missing or inaccessible', () => {
  it('is an error that says where it belongs', async () => {
    configure({ SERVICE_MODE: 'robot', SERVICE_LLM_CONFIG_PATH: '/nowhere/llm.yaml' });
    for (const { status, body } of [await read(), await change('a', 1)]) {
      expect([status, body.code]).toEqual([503, 'component_unavailable']);
      expect(body.detail).toContain('SERVICE_LLM_CONFIG_PATH');
    }
  });

  it('is an error with advice when it is not writable', async () => {
    // A file of the kernel, beside which nobody may put anything, root included.
    configure({ SERVICE_LLM_CONFIG_PATH: '/sys/kernel/notes' });
    const config = await ports.get(llmConfigFile);
    await expect(config.update(async () => ({ bytes: Buffer.from('a: 2'), result: undefined }))).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringContaining('write permission'),
    });
  });

  it('is an error when the service lacks read permission', async () => {
    const folder = giveToNobody(temporaryFolder());
    configure({ SERVICE_LLM_CONFIG_PATH: join(folder, 'llm.yaml') });
    writeFileSync(join(folder, 'llm.yaml'), TEXT, { mode: 0 });
    const { body } = await asNobody(() => read());
    expect(body).toMatchObject({ code: 'config_unreadable', detail: expect.stringContaining('lacks read permission') });
  });

  it('is an error when it is a folder', async () => {
    configure({ SERVICE_LLM_CONFIG_PATH: temporaryFolder() });
    expect((await read()).body.code).toBe('config_unreadable');
  });
});
