import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { keyStore } from '../../../functions/shared/identity/ports.ts';
import { give } from '../../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord } from '../auth.ts';
import { served } from '../openapi-document.ts';
import { startTestService, type TestService } from '../service.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../world.ts';
import { LATER_CODE, LaterService } from './later-service.ts';

/** An id that takes more than 32 bits. */
const LARGE_ID = 5_000_000_000;

const CATEGORY = { tablename: 'categories_table', item: { id: 1, name: 'Talk' } };
const SUBCATEGORY = {
  tablename: 'subcategories_table',
  item: { id: LARGE_ID, name: 'Greetings', logo: null, category_id: 1, local: true },
};

/** What the app in each language prints, a line for each thing it did; nothing stands for null. */
function expected(code: string): string[] {
  return [
    'level ENCHANTER',
    'stopped true',
    'added r1 7 hello nothing big',
    `subcategory ${LARGE_ID} Greetings nothing 1 true`,
    'deleted r1',
    'sound_level int 0 100',
    `refused 422 ${code}`,
  ];
}

/** Where the app stands that is written with a client of this name. */
export const appFolder = (name: string) => join(ROOT, 'test/outside/apps', name);

/** The document in a folder of its own, for a generator. */
export function documentFile(): string {
  const path = join(temporaryFolder('robot-rest-document-'), 'openapi.json');
  writeFileSync(path, JSON.stringify(served));
  return path;
}

/** Tests of an app: against the service, and against one that has grown. `run` answers what the app prints. */
export function itTellsTheTruth(run: (environment: Record<string, string>) => Promise<string>): void {
  let service: TestService;
  let later: LaterService;
  beforeAll(async () => {
    const store = new FakeKeyStore([keyRecord('k1', 'ENCHANTER')]);
    service = await startTestService({ given: [give(keyStore, store)] });
    for (const body of [CATEGORY, SUBCATEGORY])
      await service.as('ENCHANTER', '/api/v2/database/add_item/', { method: 'POST', body });
    later = await LaterService.start(service.url);
  });
  afterAll(async () => {
    await later.stop();
    await service.stop();
  });

  const linesOf = async (url: string) => (await run({ ROBOT_URL: url, ROBOT_KEY: 'rk_k1' })).trim().split('\n');

  it('authenticates, stops, adds, reads with every column, deletes, and is told why it is refused', async () => {
    expect(await linesOf(service.url)).toEqual(expected('validation_failed'));
  });

  it('survives members and codes that are added later', async () => {
    expect(await linesOf(later.url)).toEqual(expected(LATER_CODE));
  });
}
