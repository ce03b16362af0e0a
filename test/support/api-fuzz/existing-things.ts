import fc from 'fast-check';
import type { Column } from '../../../functions/database/column.ts';
import type { HttpAnswer, HttpCall } from '../http.ts';
import { until } from '../processes.ts';
import { PARENTS, rowOf, TABLES } from '../rows.ts';
import type { Operation, Sent } from './operations.ts';

type Ask = (path: string, call?: HttpCall) => Promise<HttpAnswer>;
type Requests = fc.Arbitrary<Sent>;

interface CatalogueEntry {
  readonly name: string;
  readonly kind: string;
  readonly bounds?: { readonly minimum: number; readonly maximum: number };
}

/** What a service has at this moment. */
interface Inventory {
  readonly backups: readonly string[];
  /** A pairing code. */
  readonly code: string;
  /** Id of an API key. */
  readonly key: string;
  readonly commands: readonly CatalogueEntry[];
  readonly runs: readonly string[];
  readonly units: readonly string[];
  /** A number that no row has. */
  fresh(): number;
}

/** The number of every row that is put in, away from those that examples and chance come upon. */
const NUMBER = 70_001;
/** Nothing refers to their rows, which may therefore be removed. */
const LEAVES = TABLES.filter(({ name }) => !PARENTS.some(([parent]) => parent === name));
/** Of exports that hold what every table needs. */
const FOLDER = { path: 'known' };
/** One that nobody needs. */
const SPARE_EXPORT = { tablename: 'robots_table', path: 'spare/robots.csv' };
const KEY = { method: 'POST', body: { name: 'known', level: 'USER' } };
const URDF = { name: 'known.urdf', type: 'application/xml', body: '<robot name="known"/>' };
const MESH = { name: 'known/a.obj', type: 'application/octet-stream', body: 'v 0 0 0\n' };
const SKILL = 'known';
const SOURCE = '@skill\ndef known():\n    pass\n';

const tablename = fc.constantFrom(...LEAVES.map(({ name }) => name));
const leaf = fc.constantFrom(...LEAVES);
const keyOf = (table: (typeof LEAVES)[number]) => ({ id: rowOf(table, NUMBER).id });
const leafKey = leaf.map((table) => ({ tablename: table.name, item: keyOf(table) }));
const skillName = fc.constantFrom(SKILL, `${SKILL}.py`, `disabled.${SKILL}.py`);
const named = (value: fc.Arbitrary<unknown>, name: string): Requests => value.map((it) => ({ values: { [name]: it } }));
const saying = (body: fc.Arbitrary<unknown>): Requests => body.map((it) => ({ values: {}, body: it }));

/** Requests that name what there is, by operation. */
const REQUESTS: Readonly<Record<string, (there: Inventory) => Requests>> = {
  'POST commands/{command}/': ({ commands }) => fc.constantFrom(...commands).chain(commandRequest),
  'GET meshes/{filepath}': () =>
    fc.constantFrom({}, { range: 'bytes=0-3' }).map((range) => ({ values: { filepath: MESH.name, ...range } })),
  'GET urdf/{filename}': () => named(fc.constant(URDF.name), 'filename'),
  'PUT urdf/{filename}': () => fc.constant({ values: { filename: URDF.name }, body: URDF.body }),
  'DELETE urdf/{filename}': () => named(fc.constant(URDF.name), 'filename'),
  'PUT meshes/{filepath}': () => fc.constant({ values: { filepath: MESH.name }, body: MESH.body }),
  'DELETE meshes/{filepath}': () => named(fc.constant(MESH.name), 'filepath'),
  'GET database/read/': () => named(tablename, 'tablename'),
  'GET database/read_item/': () => named(leafKey, 'data'),
  'POST database/add_item/': ({ fresh }) =>
    saying(leaf.map((table) => ({ tablename: table.name, item: rowOf(table, fresh()) }))),
  'DELETE database/delete_item/': () => saying(leafKey),
  'PUT database/update_item/': () => saying(leaf.chain(change)),
  'PUT database/update_controller_config/': () =>
    saying(fc.constant({ id: NUMBER, name: 'Left pad', prompt_name: 'default', config: [] })),
  'DELETE database/clear_table/': () => named(tablename, 'tablename'),
  'POST database/export_table/': () => saying(fc.record({ tablename }, { requiredKeys: [] })),
  'POST database/import_table/': () => saying(fc.record({ tablename }, { requiredKeys: [] })),
  'DELETE database/exports/{filepath}': () => named(fc.constant(SPARE_EXPORT.path), 'filepath'),
  'POST database/restore/': ({ backups }) => saying(fc.record({ backup: fc.constantFrom(...backups) })),
  'GET database/tables/{table}.csv': () => named(tablename, 'table'),
  'PUT database/tables/{table}.csv': () =>
    fc.constant({ values: { table: 'robots_table' }, body: `id,name\n${NUMBER},Pip\n` }),
  'GET database/backups/{name}': ({ backups }) => named(fc.constantFrom(...backups), 'name'),
  'POST auth/pair': ({ code }) => saying(fc.constant({ code })),
  'DELETE keys/{key_id}': ({ key }) => named(fc.constant(key), 'key_id'),
  'POST skill/upload/': () => saying(fc.constant({ skill: SOURCE })),
  'DELETE skill/remove/': () => named(skillName, 'skill_name'),
  'POST skill/remove/': () => saying(fc.record({ skill_name: skillName })),
  'PATCH skill/enable/': () => saying(fc.record({ command: skillName, value: fc.boolean() })),
  'POST skill/enable/': () => saying(fc.record({ command: skillName, value: fc.boolean() })),
  'GET skill/download/{skill_name}': () => named(skillName, 'skill_name'),
  'PATCH skill/rename/': () =>
    saying(fc.record({ old_name: skillName, new_name: fc.nat().map((number) => `renamed_${number}`) })),
  'POST runs/': () => saying(fc.constant({ skill: SKILL })),
  'GET runs/{run_id}': ({ runs }) => named(fc.constantFrom(...runs), 'run_id'),
  'GET runs/{run_id}/logs': ({ runs }) => named(fc.constantFrom(...runs), 'run_id'),
  'POST runs/{run_id}/stop': ({ runs }) => named(fc.constantFrom(...runs), 'run_id'),
  'POST service/{system}/{service_name}/restart': ({ units }) =>
    fc
      .constantFrom(...units.filter((name) => !name.startsWith('robot-rest')))
      .map((service_name) => ({ values: { system: 'head', service_name } })),
  'GET service/{system}/{service_name}': ({ units }) =>
    fc.constantFrom(...units).map((service_name) => ({ values: { system: 'head', service_name, lines: '20' } })),
};

function change(table: (typeof LEAVES)[number]): fc.Arbitrary<unknown> {
  const columns = Object.entries<Column>(table.columns).filter(([, column]) => !column.key);
  return fc.constantFrom(...columns.map(([attribute]) => attribute)).map((attribute) => ({
    tablename: table.name,
    item: keyOf(table),
    attribute,
    new_value: rowOf(table, NUMBER + 1)[attribute],
  }));
}

function commandRequest({ name, kind, bounds }: CatalogueEntry): Requests {
  const values = { command: name };
  if (kind === 'none') return fc.constant({ values, body: {} });
  const number = fc.integer({ min: bounds?.minimum ?? 0, max: bounds?.maximum ?? 100 });
  const fitting =
    kind === 'bool' ? fc.boolean() : kind === 'coordinates' ? fc.record({ x: number, theta: number }) : number;
  return fitting.map((value) => ({ values, body: { value } }));
}

/** Kinds whose values follow from the catalogue; the others speak of missions, and have routes of their own. */
const FREE_KINDS = new Set(['none', 'int', 'float', 'bool', 'coordinates']);

/** Sees to it that a service has rows, backups and a skill, and makes requests that name them. */
export class ExistingThings {
  readonly #ask: Ask;
  #last = 2 * NUMBER;
  #filled = false;
  #key = '';

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Requests of an operation that name what exists; undefined when it names nothing, or only what its examples name. */
  async requestsOf({ method, path }: Operation): Promise<Requests | undefined> {
    const place = path.replace(/^\/api\/v[12]\//, '');
    if (/^(clear_)?database/.test(place)) await this.#fillDatabase();
    if (place.startsWith('database/exports/')) await this.#post('database/export_table/', { body: SPARE_EXPORT });
    if (/^(skill|runs)\//.test(place)) await this.#post('skill/upload/', skillForm());
    if (place.startsWith('urdf/')) await this.#put('urdf', URDF);
    if (place.startsWith('meshes/')) await this.#put('meshes', MESH);
    if (place.startsWith('runs/')) await this.#run();
    if (place.startsWith('keys/')) this.#key = (await this.#ask('/api/v2/keys/', KEY)).json.id;
    return REQUESTS[`${method} ${place}`]?.(await this.#inventory());
  }

  /** The first time row by row; what is gone later comes back in one piece. */
  async #fillDatabase(): Promise<void> {
    if (this.#filled) return this.#post('database/import_table/', { body: FOLDER });
    for (const [table, item] of PARENTS) await this.#add(table, item);
    for (const table of LEAVES) await this.#add(table.name, rowOf(table, NUMBER));
    await this.#post('database/export_table/', {});
    await this.#post('database/export_table/', { body: FOLDER });
    this.#filled = true;
  }

  /** Starts a run as soon as earlier ones have ended. */
  async #run(): Promise<void> {
    await until('a run can be started', async () => {
      const { status } = await this.#ask('/api/v2/runs/', { method: 'POST', body: { skill: SKILL } });
      return status === 201;
    });
    await until('it has ended', async () => {
      const { runs } = (await this.#ask('/api/v2/runs/')).json;
      return runs[0].finished_at !== null;
    });
  }

  /** What an earlier request left there is as good. */
  async #add(table: string, item: unknown): Promise<void> {
    await this.#post('database/add_item/', { body: { tablename: table, item } }, [200, 409]);
  }

  async #post(place: string, call: HttpCall, expected: readonly number[] = [200]): Promise<void> {
    const answer = await this.#ask(`/api/v2/${place}`, { method: 'POST', body: {}, ...call });
    if (!expected.includes(answer.status)) throw new Error(`${place} answered ${answer.status}: ${answer.text}`);
  }

  async #put(place: string, { name, type, body }: typeof URDF): Promise<void> {
    const headers = { 'content-type': type };
    const { status, text } = await this.#ask(`/api/v2/${place}/${name}`, { method: 'PUT', headers, body });
    if (status !== 200) throw new Error(`${place}/${name} answered ${status}: ${text}`);
  }

  async #inventory(): Promise<Inventory> {
    const [backups, catalogue, services, runs, pairing] = await Promise.all([
      this.#ask('/api/v2/database/backups/'),
      this.#ask('/api/v2/commands/'),
      this.#ask('/api/v2/service/get_services_list'),
      this.#ask('/api/v2/runs/'),
      this.#ask('/api/v2/auth/pairing', { method: 'POST' }),
    ]);
    return {
      code: pairing.json.code,
      key: this.#key,
      backups: backups.json.backups.map(({ name }: { name: string }) => name),
      commands: catalogue.json.commands.filter((one: CatalogueEntry) => FREE_KINDS.has(one.kind)),
      fresh: () => ++this.#last,
      runs: runs.json.runs.map(({ id }: { id: string }) => id),
      units: services.json.head.map(({ name }: { name: string }) => name),
    };
  }
}

function skillForm(): HttpCall {
  const head = `content-disposition: form-data; name="skill"; filename="${SKILL}.py"`;
  const headers = { 'content-type': 'multipart/form-data; boundary=known' };
  return { headers, body: `--known\r\n${head}\r\n\r\n${SOURCE}\r\n--known--\r\n` };
}
