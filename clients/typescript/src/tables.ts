import { badAnswer } from './errors.ts';
import { encodeJson, segment } from './http.ts';
import type { components } from './openapi.ts';
import type { Session } from './session.ts';

type Schemas = components['schemas'];
export type Row = Record<string, unknown>;

/** What a table's rows hold, for tables whose name is known when the program is compiled. */
export interface Tables {
  readonly animations_table: Schemas['AnimationsTableRow'];
  readonly categories_table: Schemas['CategoriesTableRow'];
  readonly customized_prompts_table: Schemas['CustomizedPromptsTableRow'];
  readonly gamepad_config_table: Schemas['GamepadConfigTableRow'];
  readonly grasping_table: Schemas['GraspingTableRow'];
  readonly known_locations_table: Schemas['KnownLocationsTableRow'];
  readonly known_runes_table: Schemas['KnownRunesTableRow'];
  readonly navigation_table: Schemas['NavigationTableRow'];
  readonly robot_configuration_table: Schemas['RobotConfigurationTableRow'];
  readonly robots_table: Schemas['RobotsTableRow'];
  readonly routes_table: Schemas['RoutesTableRow'];
  readonly runes_table: Schemas['RunesTableRow'];
  readonly skills_table: Schemas['SkillsTableRow'];
  readonly subcategories_table: Schemas['SubcategoriesTableRow'];
  readonly tts_table: Schemas['TtsTableRow'];
}

/** One table of the robot's database. Numbers beyond 2^53 lose digits, as everywhere in JavaScript. */
export class Table<R = Row> {
  readonly name: string;
  readonly #session: Session;

  constructor(session: Session, name: string) {
    this.#session = session;
    this.name = name;
  }

  /** Rows in the order of their keys; all of them, or a part. */
  async rows({ limit, offset }: { limit?: number; offset?: number } = {}): Promise<R[]> {
    const query = new URLSearchParams({ tablename: this.name });
    if (limit !== undefined) query.set('limit', String(limit));
    if (offset !== undefined) query.set('offset', String(offset));
    const rows = (await this.#session.request('GET', `/api/v2/database/read/?${query}`)).json();
    if (!Array.isArray(rows)) throw badAnswer('no rows');
    return rows;
  }

  /** One row. @throws RobotRestError `row_not_found`. */
  async get(id: unknown): Promise<R> {
    const query = new URLSearchParams({ data: encodeJson(this.#item({ id })) });
    return this.#row(await this.#session.request('GET', `/api/v2/database/read_item/?${query}`));
  }

  /** Adds a row and returns it as stored; an integer id that is left out is given. */
  async add(row: Partial<R>): Promise<R> {
    return this.#change('POST', 'add_item', this.#item(row));
  }

  /** Changes one column and returns the row. */
  async update(id: unknown, column: keyof R & string, value: unknown): Promise<R> {
    return this.#change('PUT', 'update_item', { ...this.#item({ id }), attribute: column, new_value: value });
  }

  /** Deletes a row and returns it as it was. */
  async delete(id: unknown): Promise<R> {
    return this.#change('DELETE', 'delete_item', this.#item({ id }));
  }

  #item(item: object) {
    return { tablename: this.name, item };
  }

  async #change(method: string, route: string, json: object): Promise<R> {
    return this.#row(await this.#session.request(method, `/api/v2/database/${route}/`, { json }));
  }

  #row(answer: { object(): object }): R {
    return answer.object() as R; // as: the service checks rows against the schemas of its tables
  }
}

/** Skill files; needs ADMIN. Names may be given with or without `.py`. */
export class Skills {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async list(): Promise<Schemas['Skill'][]> {
    const { skills } = (await this.#session.request('GET', '/api/v2/skill/list/')).object();
    if (!Array.isArray(skills)) throw badAnswer('no skills');
    return skills;
  }

  /** Stores a file, in place of one of its name. @throws ValidationFailed `invalid_python`. */
  async upload(name: string, source: string | Blob): Promise<Schemas['Skill']> {
    const form = new FormData();
    form.set('skill', new Blob([source], { type: 'text/x-python' }), name);
    return this.#skill(await this.#session.request('POST', '/api/v2/skill/upload/', { form }));
  }

  async enable(name: string): Promise<Schemas['Skill']> {
    return this.#change('PATCH', 'enable/', { command: name, value: true });
  }

  async disable(name: string): Promise<Schemas['Skill']> {
    return this.#change('PATCH', 'enable/', { command: name, value: false });
  }

  async rename(old: string, name: string): Promise<Schemas['Skill']> {
    return this.#change('PATCH', 'rename/', { old_name: old, new_name: name });
  }

  async remove(name: string): Promise<Schemas['Skill']> {
    return this.#change('DELETE', `remove/?${new URLSearchParams({ skill_name: name })}`);
  }

  /** The file as it was uploaded. */
  async download(name: string): Promise<string> {
    return (await this.#session.request('GET', `/api/v2/skill/download/${segment(name)}`)).text();
  }

  async #change(method: string, route: string, json?: object): Promise<Schemas['Skill']> {
    return this.#skill(await this.#session.request(method, `/api/v2/skill/${route}`, json ? { json } : {}));
  }

  #skill(answer: { object(): Record<string, unknown> }): Schemas['Skill'] {
    return answer.object().skill as Schemas['Skill']; // as: what the service says of every change
  }
}
