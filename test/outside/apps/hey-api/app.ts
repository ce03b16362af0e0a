import { client } from './robot/client.gen.ts';
import { addRow, authenticate, deleteRow, listCommands, readTable, sendInt, stopRobot } from './robot/sdk.gen.ts';
import type { KnownRunesTableRow, Problem, Row, SubcategoriesTableRow } from './robot/types.gen.ts';

const { ROBOT_URL = '', ROBOT_KEY = '' } = process.env;
client.setConfig({ baseUrl: ROBOT_URL, auth: () => ROBOT_KEY });

/** What cannot go on without an answer ends with the problem that came in its place. */
function must<T>(answer: { data?: T | undefined; error?: Problem | undefined }): T {
  if (answer.data === undefined) throw new Error(`${answer.error?.code}: ${answer.error?.detail}`);
  return answer.data;
}

const isRune = (row: Row): row is Row & KnownRunesTableRow => typeof row.id === 'string' && 'virtual_id' in row;
const isSubcategory = (row: Row): row is Row & SubcategoriesTableRow =>
  typeof row.id === 'number' && 'category_id' in row;
const show = (...words: unknown[]) => console.log(words.map((word) => word ?? 'nothing').join(' '));

const auth = must(await authenticate());
client.setConfig({ auth: () => auth.token });
show('level', auth.access_level);

show('stopped', must(await stopRobot()).stopped);

const rune: KnownRunesTableRow = { id: 'r1', virtual_id: '7', label: 'hello', class_: 'big' };
const added = must(await addRow({ body: { tablename: 'known_runes_table', item: { ...rune } } }));
if (isRune(added)) show('added', added.id, added.virtual_id, added.label, added.description, added.class_);

const rows = must(await readTable({ query: { tablename: 'subcategories_table' } }));
for (const { id, name, logo, category_id, local } of rows.filter(isSubcategory))
  show('subcategory', id, name, logo, category_id, local);

const deleted = must(await deleteRow({ body: { tablename: 'known_runes_table', item: { id: 'r1' } } }));
show('deleted', deleted.id);

const { commands } = must(await listCommands());
const level = commands.find(({ name }) => name === 'sound_level');
show('sound_level', level?.kind, level?.bounds?.minimum, level?.bounds?.maximum);

const refused = await sendInt({ body: { command: 'sound_level', value: 1000 } });
show('refused', refused.response?.status, refused.error?.code);
