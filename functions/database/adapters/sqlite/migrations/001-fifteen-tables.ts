import { type CreateTableBuilder, sql } from 'kysely';
import { type Compilable, query } from '../session.ts';

/**
 * The tables of the specification, section 2.4. Written out, since a migration must go on making what it made on its
 * first day; a test compares the outcome with the table descriptions.
 *
 * STRICT tables and checks, because the file is also opened by other programs: whatever they write reads back well.
 */
export function fifteenTables(): Compilable[] {
  return [
    numbered('categories_table', [str('name'), str('logo')]),
    numbered('robots_table', [str('name'), str('body_image'), str('head_image'), str('color')]),
    numbered('subcategories_table', [
      str('name'),
      str('logo'),
      reference('category_id', 'categories_table'),
      bool('local'),
    ]),
    numbered('animations_table', [
      ...action,
      str('image'),
      str('video'),
      str('command_value'),
      subcategory,
      reference('robot_id', 'robots_table'),
    ]),
    numbered('customized_prompts_table', [str('name'), str('prompt'), bool('selected'), int('order')]),
    numbered('gamepad_config_table', [must('name'), must('value'), must('prompt_name'), json('config')]),
    numbered('grasping_table', [
      ...action,
      str('command_value'),
      str('rune'),
      str('function'),
      str('access_level'),
      int('couple_id'),
      subcategory,
    ]),
    named('known_locations_table', [must('color', '#2196f3')]),
    named('known_runes_table', [str('virtual_id'), str('label'), str('description'), str('class_')]),
    numbered('navigation_table', [...action, str('command_value'), str('rune'), subcategory]),
    named('robot_configuration_table', [json('value')], 64),
    named('routes_table', [must('color', '#9c27b0'), bool('visible', 1)]),
    numbered('runes_table', [
      str('name'),
      str('command_name'),
      must('simple_click', 'Nothing.'),
      must('double_click', 'Nothing.'),
      must('long_press', 'Nothing.'),
      str('access_level'),
      subcategory,
    ]),
    numbered('skills_table', [
      ...action,
      bool('swapable'),
      mustJson('value'),
      str('side'),
      mustJson('description'),
      str('access_level'),
      subcategory,
    ]),
    numbered('tts_table', [
      str('type'),
      mustJson('name', '{}'),
      mustJson('sentences', '{}'),
      bool('local'),
      bool('favorite'),
      reference('robot_id', 'robots_table'),
      subcategory,
    ]),
    ...[
      ['subcategories_table', 'category_id'] as const,
      ['animations_table', 'subcategory_id'] as const,
      ['animations_table', 'robot_id'] as const,
      ['grasping_table', 'subcategory_id'] as const,
      ['navigation_table', 'subcategory_id'] as const,
      ['runes_table', 'subcategory_id'] as const,
      ['skills_table', 'subcategory_id'] as const,
      ['tts_table', 'robot_id'] as const,
      ['tts_table', 'subcategory_id'] as const,
    ].map(([table, column]) => query.schema.createIndex(`${table}_${column}`).on(table).column(column)),
  ];
}

type Build = CreateTableBuilder<string, string>;
type Part = (build: Build) => Build;

// Integers stay within what a JSON number carries unharmed, the ones SQLite itself counts up included.
const safe = (name: string) => sql`${sql.ref(name)} between -9007199254740991 and 9007199254740991`;
const valid = (name: string) => sql`json_valid(${sql.ref(name)})`;

const str =
  (name: string): Part =>
  (build) =>
    build.addColumn(name, 'text');
const must =
  (name: string, otherwise?: string): Part =>
  (build) =>
    build.addColumn(name, 'text', (c) => (otherwise === undefined ? c.notNull() : c.notNull().defaultTo(otherwise)));
const int =
  (name: string): Part =>
  (build) =>
    build.addColumn(name, 'integer', (c) => c.check(safe(name)));
const bool =
  (name: string, otherwise: 0 | 1 = 0): Part =>
  (build) =>
    build.addColumn(name, 'integer', (c) =>
      c
        .notNull()
        .defaultTo(otherwise)
        .check(sql`${sql.ref(name)} in (0, 1)`),
    );
const json =
  (name: string): Part =>
  (build) =>
    build.addColumn(name, 'text', (c) => c.check(valid(name)));
const mustJson =
  (name: string, otherwise?: string): Part =>
  (build) =>
    build.addColumn(name, 'text', (c) => {
      const checked = c.notNull().check(valid(name));
      return otherwise === undefined ? checked : checked.defaultTo(otherwise);
    });
const reference =
  (name: string, to: string): Part =>
  (build) =>
    build.addColumn(name, 'integer', (c) => c.references(`${to}.id`));

const subcategory = reference('subcategory_id', 'subcategories_table');
const action = [str('name'), bool('favorite'), str('type')];

/** A table whose ids SQLite counts up and never gives twice. */
function numbered(name: string, parts: readonly Part[]): Compilable {
  const start: Build = query.schema
    .createTable(name)
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement().check(safe('id')));
  return parts.reduce((build, part) => part(build), start).modifyEnd(sql`strict`);
}

/** A table whose rows are known by a name. */
function named(name: string, parts: readonly Part[], longest?: number): Compilable {
  const start: Build = query.schema.createTable(name).addColumn('id', 'text', (c) => {
    const key = c.primaryKey().notNull();
    return longest === undefined ? key : key.check(sql`length(id) <= ${sql.lit(longest)}`);
  });
  return parts.reduce((build, part) => part(build), start).modifyEnd(sql`strict, without rowid`);
}
