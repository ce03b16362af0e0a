import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filled, membersOf, ROUTE_CALLS } from '../support/route-calls.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/world.ts';

const MARK = 'nobody-may-read-this';
const home = temporaryFolder();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { HOME: home } });
  for (const name of ['secret.txt', 'secret.py', 'secret.csv', 'secret.stl', 'secret.urdf']) {
    writeFileSync(join(home, name), MARK);
    writeFileSync(join(home, '.robot-rest', name), MARK);
  }
});
afterAll(() => service.stop());

const STEPS = ['..', '../..', '../../..', '../../../../../..'];
const TARGETS = [
  'secret.py',
  'secret.csv',
  'secret.stl',
  'secret.urdf',
  'jwt-signing-key.pem',
  'api-keys.json',
  'etc/passwd',
];
const plain = [...TARGETS.map((target) => `../${target}`), '../../secret.stl', '../../../../../../../etc/passwd'];
const SPELLINGS: Record<string, (path: string) => string> = {
  'as it is': (path) => path,
  'percent-encoded': (path) => encodeURIComponent(path),
  'with encoded dots': (path) => path.replaceAll('.', '%2e'),
  'encoded twice': (path) => encodeURIComponent(encodeURIComponent(path)),
  'with backslashes': (path) => path.replaceAll('/', '%5c'),
  'with overlong UTF-8': (path) => path.replaceAll('..', '%c0%ae%c0%ae'),
  'with doubled dots': (path) => path.replaceAll('../', '....//'),
  'with a path parameter': (path) => path.replaceAll('../', '..;/'),
  'behind a folder': (path) => `meshes/${path}`,
  'before a NUL': (path) => `${path}%00.stl`,
  absolute: (path) => `%2f${path.replaceAll('../', '')}`,
  'as a file URL': (path) => `file:%2f%2f%2f${path.replaceAll('../', '')}`,
};

function expectNothingOf(text: string): void {
  for (const leak of [MARK, 'PRIVATE KEY', '"sha256"', 'root:x:']) expect(text).not.toContain(leak);
}

/** Everything outside the folders that routes may write to. */
function outside(): Record<string, string> {
  const files = readdirSync(home, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(files.map(({ name }) => [name, readFileSync(join(home, name), 'utf8')]));
}

describe('A path parameter that leaves its folder', () => {
  const calls = ROUTE_CALLS.filter(({ route, pattern }) => route.method === 'GET' && pattern.includes('{'));

  it.each(Object.entries(SPELLINGS))(
    '%s reads nothing, on any route that takes one',
    async (_name, spell) => {
      expect(calls.length).toBeGreaterThan(5);
      for (const { pattern } of calls) {
        for (const path of plain) {
          const target = filled(pattern, spell(path));
          const answer = await service.as('ENCHANTER', target);
          expect([target, answer.status >= 400 && answer.status < 500]).toEqual([target, true]);
          expectNothingOf(answer.text);
        }
      }
    },
    30_000,
  );
});

describe('A path outside of the folder in a query or body', () => {
  const VALUES = [
    ...STEPS.map((steps) => `${steps}/secret.csv`),
    join(home, 'secret.csv'),
    '/etc/passwd',
    '..',
    '-rf',
    '|id',
    '$(id)',
    'a\u0000.csv',
  ];

  it('is neither read nor written on any route', async () => {
    const before = outside();
    const takers = ROUTE_CALLS.filter(
      ({ route: { endpoint } }) => endpoint.spec.input?.query || endpoint.spec.input?.body,
    );
    expect(takers.length).toBeGreaterThan(20);
    for (const { route, method, pattern } of takers) {
      const { query, body } = route.endpoint.spec.input ?? {};
      for (const value of VALUES) {
        const pairs = new URLSearchParams(Object.fromEntries(membersOf(query).map((name) => [name, value])));
        const members = Object.fromEntries(membersOf(body).map((name) => [name, value]));
        const answer = await service.as('ENCHANTER', `${filled(pattern, 'x')}?${pairs}`, {
          method,
          ...(body && route.endpoint.spec.bodyType !== 'multipart' ? { body: members } : {}),
        });
        expect([method, pattern, value, answer.status !== 500]).toEqual([method, pattern, value, true]);
        expectNothingOf(answer.text);
      }
    }
    expect(outside()).toEqual(before);
  });

  it.each(['/api/v2/database/export_table/', '/api/v2/database/import_table/'])(
    'is refused by %s with the member named',
    async (path) => {
      for (const value of [...STEPS.map((steps) => `${steps}/secret.csv`), join(home, 'secret.csv')]) {
        const answer = await service.as('ENCHANTER', path, {
          method: 'POST',
          body: { tablename: 'categories_table', path: value },
        });
        expect([value, answer.status, answer.json.code]).toEqual([value, 422, 'validation_failed']);
      }
    },
  );
});
