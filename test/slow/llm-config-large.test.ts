import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { yamlWork } from '../../functions/system/llm-config/ports.ts';
import { type HttpAnswer, type HttpCall, http } from '../support/http.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { temporaryFolder, testPorts } from '../support/world.ts';

/** Just within the limits on bytes and on values. */
const LINES = Array.from({ length: 19_900 }, (_, index) => `  k${index}: [1,2,{a: b}]`);
const TEXT = `a:\n${LINES.join('\n')}\nb: 1\n`;
const PATH = '/api/v2/llm_config/';

const home = temporaryFolder();
const file = join(home, 'llm.yaml');
let service: ServiceProcess;
let authorization: string;

beforeAll(async () => {
  writeFileSync(file, TEXT);
  service = await startProcess({ HOME: home, SERVICE_LLM_CONFIG_PATH: file, SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER' });
  authorization = `Bearer ${(await http(service.socketPath, '/api/v2/auth/')).json.token}`;
});
afterAll(() => service.end());

function ask(method: string, path: string, body?: unknown): Promise<HttpAnswer> {
  const call: HttpCall = { method, headers: { authorization }, ...(body === undefined ? {} : { body }) };
  return http(service.url, path, call);
}

/** Stops, one after the other, until this work is done. */
async function stoppingDuring(work: Promise<HttpAnswer>): Promise<HttpAnswer> {
  let under = true;
  const done = work.finally(() => {
    under = false;
  });
  while (under) expect((await ask('POST', '/api/v2/stop', {})).status).toBe(200);
  return done;
}

/** How many turns the event loop makes until this work is done: one or two if the work held it up. */
async function turnsDuring<T>(begin: () => Promise<T>): Promise<number> {
  let under = true;
  const done = begin().finally(() => {
    under = false;
  });
  let turns = 0;
  for (; under; turns += 1) await setImmediate();
  await done;
  return turns;
}

describe('A language-model configuration of 450 KB', () => {
  const MANY = 20;

  it('leaves the event loop free for a stop while it is parsed and changed, and is parsed once', async () => {
    const work = await testPorts().get(yamlWork);
    const bytes = Buffer.from(TEXT);
    expect(await turnsDuring(() => work.toJson(bytes))).toBeGreaterThan(MANY);
    expect(await turnsDuring(() => work.toJson(Buffer.from(bytes)))).toBeLessThan(MANY);
    expect(await turnsDuring(() => work.change(bytes, { key: 'b', value: 2 }))).toBeGreaterThan(MANY);
  });

  it('leaves the event loop free while a large value is put into a small file', async () => {
    const work = await testPorts().get(yamlWork);
    const value = Array.from({ length: 40_000 }, (_, index) => index);
    expect(await turnsDuring(() => work.change(Buffer.from('a: []'), { key: 'a', value }))).toBeGreaterThan(MANY);
  });

  it('is read while stops are answered', async () => {
    const answer = await stoppingDuring(ask('GET', PATH));
    expect([answer.status, answer.json.b, answer.json.a.k19899]).toEqual([200, 1, [1, 2, { a: 'b' }]]);
  });

  it('is changed while stops are answered, and every other byte stays', async () => {
    const answer = await stoppingDuring(ask('PATCH', PATH, { command: 'a.k7', value: [5] }));
    expect([answer.status, answer.json]).toEqual([200, { command: 'a.k7', value: [5], previous: [1, 2, { a: 'b' }] }]);
    expect(readFileSync(file, 'utf8')).toBe(TEXT.replace('k7: [1,2,{a: b}]', 'k7: [5]'));
    expect((await ask('GET', PATH)).json.a.k7).toEqual([5]);
  });

  it('is answered with line and column when it is broken, and works again once mended', async () => {
    writeFileSync(file, `${TEXT}c: [1\n`);
    for (const { status, json } of [await ask('GET', PATH), await ask('PATCH', PATH, { command: 'b', value: 2 })]) {
      expect([status, json.code, json.line]).toEqual([500, 'config_unreadable', LINES.length + 4]);
    }
    writeFileSync(file, TEXT);
    const { status, headers } = await ask('GET', PATH);
    expect([status, (await ask('GET', PATH)).headers.etag]).toEqual([200, headers.etag]);
  });
});
