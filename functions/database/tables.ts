import type { Generated } from 'kysely';
import {
  bool,
  type Column,
  type ColumnKind,
  int,
  intKey,
  json,
  reference,
  required,
  str,
  strKey,
  withDefault,
} from './column.ts';

const click = withDefault(str, 'Nothing.');

/**
 * The fifteen tables (specification, section 2.4), each after those it refers to: the order of filling; emptying goes the
 * other way. The wire, the CSV files, the OpenAPI document and the types of Kysely follow from this.
 */
const COLUMNS = {
  categories_table: { id: intKey, name: str, logo: str },
  robots_table: { id: intKey, name: str, body_image: str, head_image: str, color: str },
  subcategories_table: { id: intKey, name: str, logo: str, category_id: reference('categories_table'), local: bool },
  animations_table: {
    id: intKey,
    name: str,
    favorite: bool,
    type: str,
    image: str,
    video: str,
    command_value: str,
    subcategory_id: reference('subcategories_table'),
    robot_id: reference('robots_table'),
  },
  customized_prompts_table: { id: intKey, name: str, prompt: str, selected: bool, order: int },
  gamepad_config_table: {
    id: intKey,
    name: required(str),
    value: required(str),
    prompt_name: required(str),
    config: json,
  },
  grasping_table: {
    id: intKey,
    name: str,
    favorite: bool,
    type: str,
    command_value: str,
    rune: str,
    function: str,
    access_level: str,
    couple_id: int,
    subcategory_id: reference('subcategories_table'),
  },
  known_locations_table: { id: strKey, color: withDefault(str, '#2196f3') },
  known_runes_table: { id: strKey, virtual_id: str, label: str, description: str, class_: str },
  navigation_table: {
    id: intKey,
    name: str,
    favorite: bool,
    type: str,
    command_value: str,
    rune: str,
    subcategory_id: reference('subcategories_table'),
  },
  robot_configuration_table: { id: { ...strKey, maxLength: 64 }, value: json },
  routes_table: { id: strKey, color: withDefault(str, '#9c27b0'), visible: withDefault(bool, true) },
  runes_table: {
    id: intKey,
    name: str,
    command_name: str,
    simple_click: click,
    double_click: click,
    long_press: click,
    access_level: str,
    subcategory_id: reference('subcategories_table'),
  },
  skills_table: {
    id: intKey,
    name: str,
    favorite: bool,
    type: str,
    swapable: bool,
    value: required(json),
    side: str,
    description: required(json),
    access_level: str,
    subcategory_id: reference('subcategories_table'),
  },
  tts_table: {
    id: intKey,
    type: str,
    name: withDefault(json, {}),
    sentences: withDefault(json, {}),
    local: bool,
    favorite: bool,
    robot_id: reference('robots_table'),
    subcategory_id: reference('subcategories_table'),
  },
} as const satisfies Record<string, Readonly<Record<string, Column>>>;

type Columns = typeof COLUMNS;
export type TableName = keyof Columns;
/** The columns of this table, or of these tables. */
type ColumnName<T extends TableName = TableName> = T extends TableName ? keyof Columns[T] & string : never;

/** A table as the wire, the CSV files, the database and the OpenAPI document all see it. */
export interface Table {
  readonly name: TableName;
  readonly columns: Readonly<Record<string, Column>>;
}

/** The database as Kysely sees it, values in the form SQLite keeps them. */
export type RobotSchema = { [T in TableName]: { [C in keyof Columns[T]]: Cell<Columns[T][C]> } };

type Cell<C> = C extends { kind: infer K extends ColumnKind; nullable: infer N }
  ? C extends { default: unknown } | { key: true; kind: 'int' }
    ? Generated<Kept<K>>
    : Kept<K> | (N extends true ? null : never)
  : never;
type Kept<K extends ColumnKind> = { int: number; str: string; bool: 0 | 1; json: string }[K];

const NAMES = Object.keys(COLUMNS) as TableName[]; // as: Object.keys forgets the names

/** Every table, each after those it refers to. */
export const TABLES: readonly Table[] = NAMES.map((name) => ({ name, columns: COLUMNS[name] }));

const BY_NAME = new Map<string, Table>(TABLES.map((table) => [table.name, table]));

/** The table of this exact name, or undefined. SQLite's internal tables do not count. */
export function findTable(name: string): Table | undefined {
  return BY_NAME.get(name);
}

/** The names of a table's columns, in order. */
export function columnNames(table: Table): ColumnName[] {
  return Object.keys(table.columns) as ColumnName[]; // as: Object.keys forgets the names
}

/** The columns by which other tables refer to this one. */
export function referencesTo(
  name: TableName,
): ReadonlyArray<{ readonly table: TableName; readonly column: ColumnName }> {
  return TABLES.flatMap((table) =>
    columnNames(table)
      .filter((column) => table.columns[column]?.references === name)
      .map((column) => ({ table: table.name, column })),
  );
}
