import type { Table } from './column.ts';
import { type AnimationsTable, animations } from './tables/animations.table.ts';
import { type CategoriesTable, categories } from './tables/categories.table.ts';
import { type CustomizedPromptsTable, customizedPrompts } from './tables/customized-prompts.table.ts';
import { type GamepadConfigTable, gamepadConfig } from './tables/gamepad-config.table.ts';
import { type GraspingTable, grasping } from './tables/grasping.table.ts';
import { type KnownLocationsTable, knownLocations } from './tables/known-locations.table.ts';
import { type KnownRunesTable, knownRunes } from './tables/known-runes.table.ts';
import { type NavigationTable, navigation } from './tables/navigation.table.ts';
import { type RobotConfigurationTable, robotConfiguration } from './tables/robot-configuration.table.ts';
import { type RobotsTable, robots } from './tables/robots.table.ts';
import { type RoutesTable, routes } from './tables/routes.table.ts';
import { type RunesTable, runes } from './tables/runes.table.ts';
import { type SkillsTable, skills } from './tables/skills.table.ts';
import { type SubcategoriesTable, subcategories } from './tables/subcategories.table.ts';
import { type TtsTable, tts } from './tables/tts.table.ts';

/** The database as Kysely sees it (specification, section 2.4). */
export interface RobotSchema {
  animations_table: AnimationsTable;
  categories_table: CategoriesTable;
  customized_prompts_table: CustomizedPromptsTable;
  gamepad_config_table: GamepadConfigTable;
  grasping_table: GraspingTable;
  known_locations_table: KnownLocationsTable;
  known_runes_table: KnownRunesTable;
  navigation_table: NavigationTable;
  robot_configuration_table: RobotConfigurationTable;
  robots_table: RobotsTable;
  routes_table: RoutesTable;
  runes_table: RunesTable;
  skills_table: SkillsTable;
  subcategories_table: SubcategoriesTable;
  tts_table: TtsTable;
}

/** Every table, each after those it refers to: the order of filling; emptying goes the other way. */
export const TABLES: readonly Table[] = [
  categories,
  robots,
  subcategories,
  animations,
  customizedPrompts,
  gamepadConfig,
  grasping,
  knownLocations,
  knownRunes,
  navigation,
  robotConfiguration,
  routes,
  runes,
  skills,
  tts,
];

const BY_NAME = new Map<string, Table>(TABLES.map((table) => [table.name, table]));

/** The table of this exact name, or undefined. Internal tables of the database are none. */
export function findTable(name: string): Table | undefined {
  return BY_NAME.get(name);
}

/** The columns by which other tables refer to this one. */
export function referencesTo(name: string): ReadonlyArray<{ readonly table: string; readonly column: string }> {
  return TABLES.flatMap((table) =>
    Object.entries(table.columns)
      .filter(([, column]) => column.references === name)
      .map(([column]) => ({ table: table.name, column })),
  );
}

export { type Column, KEY, mayBeAbsent, type RowKey, type StoredRow, type Table } from './column.ts';
export { toStored, toWire } from './value.ts';
