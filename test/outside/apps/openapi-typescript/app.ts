import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from './robot.ts';

type Row = components['schemas']['Row'];
type Rune = components['schemas']['KnownRunesTableRow'];
type Subcategory = components['schemas']['SubcategoriesTableRow'];

const { ROBOT_URL = '', ROBOT_KEY = '' } = process.env;
const robot = createClient<paths>({ baseUrl: ROBOT_URL });

/** What cannot go on without an answer ends with the problem that came in its place. */
function must<T>(answer: { data?: T; error?: components['schemas']['Problem'] }): T {
  if (answer.data === undefined) throw new Error(`${answer.error?.code}: ${answer.error?.detail}`);
  return answer.data;
}

const isRune = (row: Row): row is Row & Rune => typeof row.id === 'string' && 'virtual_id' in row;
const isSubcategory = (row: Row): row is Row & Subcategory => typeof row.id === 'number' && 'category_id' in row;
const show = (...words: unknown[]) => console.log(words.map((word) => word ?? 'nothing').join(' '));

const auth = must(await robot.GET('/api/v2/auth/', { headers: { 'X-API-Key': ROBOT_KEY } }));
const bearer: Middleware = {
  onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${auth.token}`),
};
robot.use(bearer);
show('level', auth.access_level);

show('stopped', must(await robot.POST('/api/v2/stop')).stopped);

const rune: Rune = { id: 'r1', virtual_id: '7', label: 'hello', class_: 'big' };
const body = { tablename: 'known_runes_table', item: { ...rune } } as const;
const added = must(await robot.POST('/api/v2/database/add_item/', { body }));
if (isRune(added)) show('added', added.id, added.virtual_id, added.label, added.description, added.class_);

const rows = must(
  await robot.GET('/api/v2/database/read/', { params: { query: { tablename: 'subcategories_table' } } }),
);
for (const { id, name, logo, category_id, local } of rows.filter(isSubcategory))
  show('subcategory', id, name, logo, category_id, local);

const key = { tablename: 'known_runes_table', item: { id: 'r1' } } as const;
show('deleted', must(await robot.DELETE('/api/v2/database/delete_item/', { body: key })).id);

const { commands } = must(await robot.GET('/api/v2/commands/'));
const level = commands.find(({ name }) => name === 'sound_level');
show('sound_level', level?.kind, level?.bounds?.minimum, level?.bounds?.maximum);

const refused = await robot.POST('/api/v2/int/', { body: { command: 'sound_level', value: 1000 } });
show('refused', refused.response.status, refused.error?.code);
