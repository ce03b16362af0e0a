import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { FakeKeyStore } from '../support/auth.ts';
import type { HttpAnswer, HttpCall } from '../support/http.ts';
import { modelOf, operations } from '../support/openapi-document.ts';
import { startTestService, type TestService } from '../support/service.ts';

type Made = readonly [path: string, call: HttpCall];

const ROW = { tablename: 'categories_table', item: { id: 1, name: 'Moves' } };
const PAD = { id: 1, name: 'Pad', value: 'x', prompt_name: 'default' };
const SKILL =
  '--form\r\ncontent-disposition: form-data; name="skill"; filename="wave_hello.py"\r\n\r\npass\r\n--form--\r\n';

const addRow: Made = ['database/add_item/', { method: 'POST', body: ROW }];
const addPad: Made = ['database/add_item/', { method: 'POST', body: { tablename: 'gamepad_config_table', item: PAD } }];
const clearRows: Made = [`database/clear_table/?tablename=${ROW.tablename}`, { method: 'DELETE' }];
const exportRows: Made = [
  'database/export_table/',
  { method: 'POST', body: { path: 'saved/categories.csv', tablename: ROW.tablename } },
];
const upload: Made = ['skill/upload/', uploaded()];
const deleteRenamed: Made = ['skill/remove/?skill_name=greet', { method: 'DELETE' }];

/** What an example speaks of, made as it says. */
const MADE_FIRST: Readonly<Record<string, readonly Made[]>> = {
  addRow: [clearRows],
  readRow: [addRow],
  updateRow: [addRow],
  deleteRow: [addRow],
  updateControllerConfig: [addPad],
  importTable: [exportRows],
  deleteExport: [exportRows],
  deleteSkill: [upload],
  deleteSkillByPost: [upload],
  enableSkill: [upload],
  enableSkillByPost: [upload],
  downloadSkill: [upload],
  renameSkill: [deleteRenamed, upload],
};

/** Names that only a service can give, and how it refuses others. */
const NEVER_THERE: Readonly<Record<string, readonly [status: number, code: string]>> = {
  restoreBackup: [404, 'not_found'],
  downloadBackup: [404, 'not_found'],
  uploadBackup: [422, 'backup_invalid'],
  restoreRobot: [409, 'busy'], // an example before it has acquired the lease
  pair: [401, 'pairing_code_invalid'],
  revokeKey: [404, 'not_found'],
  keepLease: [410, 'lease_lost'],
  releaseLease: [410, 'lease_lost'],
  jog: [410, 'lease_lost'],
  getRun: [404, 'not_found'],
  stopRun: [404, 'not_found'],
  getRunLogs: [404, 'not_found'],
  getConsoleFile: [404, 'not_found'],
  getSignedMesh: [401, 'token_invalid'],
};

/** Answers that do not end; `http/events/sse` reads them. */
const ENDLESS: ReadonlySet<string> = new Set(['streamEvents']);

function uploaded(): HttpCall {
  return { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=form' }, body: SKILL };
}

/** Bodies that are files, by media type. */
const FILES: Readonly<Record<string, HttpCall>> = {
  'multipart/form-data': uploaded(),
  'application/vnd.sqlite3': { headers: { 'content-type': 'application/vnd.sqlite3' }, body: 'no database' },
  'application/gzip': { headers: { 'content-type': 'application/gzip' }, body: 'no archive' },
  'text/csv': { headers: { 'content-type': 'text/csv' }, body: 'id,name\r\n1,Moves\r\n' },
  'application/xml': { headers: { 'content-type': 'application/xml' }, body: '<robot name="arm"/>' },
  'application/octet-stream': {
    headers: { 'content-type': 'application/octet-stream' },
    body: 'solid base\nendsolid base\n',
  },
};

describe('The examples of the document, sent as they stand to a service that has what they name', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({
      settings: { SERVICE_ALLOWED_UNITS: 'head=robot-*.service' },
      given: [give(keyStore, new FakeKeyStore())],
    });
  });
  afterAll(() => service.stop());

  /** Every parameter of an operation that has an example, and its body. */
  async function send({ method, path, operation }: (typeof operations)[number]): Promise<HttpAnswer> {
    const { parameters = [], requestBody } = operation;
    let target = path;
    const query = new URLSearchParams();
    for (const { name, in: place, schema } of parameters) {
      const example = schema.example ?? modelOf(schema).example;
      if (example === undefined) continue;
      if (place === 'path') target = target.replace(`{${name}}`, String(example));
      if (place === 'query') query.set(name, String(example));
    }
    const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    const body = FILES[type ?? ''] ?? (content ? { body: content.example } : {});
    return service.as('ENCHANTER', `${target}?${query}`, {
      method,
      ...body,
      headers: { 'x-api-key': 'rk_k1', accept: 'text/html, */*', ...body.headers },
    });
  }

  const answered = operations.filter(({ operation }) => !ENDLESS.has(operation.operationId));
  it.each(answered.map((one) => [one.operation.operationId, one] as const))('%s', async (id, one) => {
    const name = id.replace(/V1$/, '');
    for (const [path, call] of MADE_FIRST[name] ?? []) await service.as('ENCHANTER', `/api/v2/${path}`, call);
    const { status, text } = await send(one);
    const [refusedWith, code] = NEVER_THERE[name] ?? [];
    const fine = Number(Object.keys(one.operation.responses)[0]);
    expect([status, status === fine ? '' : text]).toEqual(
      refusedWith ? [refusedWith, expect.stringContaining(`"${code}"`)] : [fine, ''],
    );
  });
});
