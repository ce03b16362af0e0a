import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { describeOutside, runTool, TOOLS } from '../support/outside/tools.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

/** What docs/database.md says about pandas and others, word for word. */
function documented(): string[] {
  const text = readFileSync(join(ROOT, 'docs/database.md'), 'utf8');
  const [, section = ''] = /^## With pandas.*$([\s\S]*?)^## /m.exec(text) ?? [];
  return [...section.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
}

/** Texts that programs like to take for something else. */
const NAMES = ['', null, 'NA', 'null', '007', '1e5', 'true', ' a ', 'größe, "q"\nline 2', '=1+1'];

describeOutside({ tools: ['data/bin/python'] }, 'Data tools beside the running service', () => {
  const [helper = '', pandas = '', polars = '', sqlalchemy = ''] = documented();
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({});
    for (const name of NAMES) await add('categories_table', { name, logo: name });
    await add('subcategories_table', { name: 'Talk' });
    await add('tts_table', { name: { en: '' }, sentences: [1, null, 'x'], favorite: true, subcategory_id: 1 });
    await add('tts_table', { name: { en: 'Hi, "you"' }, sentences: {}, local: true });
  });
  afterAll(() => service.stop());

  const add = (tablename: string, item: JsonObject) =>
    service.as('USER', '/api/v2/database/add_item/', { method: 'POST', body: { tablename, item } });
  const rows = async (table: string) => (await service.as('USER', `/api/v2/database/read/?tablename=${table}`)).json;

  async function run(code: string): Promise<string> {
    const file = join(temporaryFolder(), 'code.py');
    writeFileSync(file, helper + code);
    const { json } = await service.as('USER', '/api/v2/database/get_path/');
    return runTool(join(TOOLS, 'data/bin/python'), [file], {
      env: { ROBOT: service.url, TOKEN: await service.token('USER'), DATABASE_URL: json.path },
    });
  }

  it('pandas changes the column it means to change and no other', async () => {
    const before = await rows('categories_table');
    expect(JSON.parse(await run(pandas))).toMatchObject({ inserted: 0, updated: 6, unchanged: 4 });
    expect(await rows('categories_table')).toEqual(
      // It has one empty value: the empty string comes back as NULL.
      before.map((row: JsonObject) => ({
        ...row,
        name: row.name === '' ? null : ((row.name as string)?.toUpperCase() ?? null),
      })),
    );
  });

  it('polars writes back exactly what it has read, but for what it changes', async () => {
    const before = await rows('tts_table');
    expect(JSON.parse(await run(polars))).toMatchObject({ inserted: 0, updated: 1, unchanged: 1 });
    expect(await rows('tts_table')).toEqual(before.map((row: JsonObject) => ({ ...row, favorite: true })));
    const texts = polars
      .replaceAll('tts_table', 'categories_table')
      .replace('.with_columns(favorite=pl.lit("true"))', '');
    expect(JSON.parse(await run(texts))).toMatchObject({ updated: 0, unchanged: NAMES.length });
  });

  it('SQLAlchemy reads and writes booleans, JSON and references', async () => {
    const before = await rows('tts_table');
    await run(sqlalchemy);
    const after = await rows('tts_table');
    expect(after).toEqual([
      ...before.map((row: JsonObject) => ({ ...row, sentences: { en: [(row.name as { en: string }).en] } })),
      expect.objectContaining({
        name: { en: 'Hello' },
        sentences: {},
        favorite: true,
        local: false,
        subcategory_id: null,
      }),
    ]);
    const dangling = sqlalchemy.replace('sentences={}, favorite=True', 'sentences={}, subcategory_id=99');
    await expect(run(dangling)).rejects.toThrow('FOREIGN KEY constraint failed');
    expect(await rows('tts_table')).toEqual(after);
  });
});
