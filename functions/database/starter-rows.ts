import { STARTER_LOCATIONS, STARTER_RUNES } from '../shared/robot-link/simulated-home.ts';
import { type Item, newRow, tableNamed } from './items.ts';
import type { RobotDatabase } from './port.ts';

/** A small plausible robot, in the order in which rows may refer to each other. */
const ROWS: ReadonlyArray<readonly [table: string, ...rows: Item[]]> = [
  [
    'categories_table',
    { id: 1, name: 'Gestures', logo: 'gestures.svg' },
    { id: 2, name: 'Places', logo: 'places.svg' },
  ],
  ['robots_table', { id: 1, name: 'Pip', body_image: 'body.png', head_image: 'head.png', color: '#2196f3' }],
  [
    'subcategories_table',
    { id: 1, name: 'Greetings', logo: 'greetings.svg', category_id: 1, local: true },
    { id: 2, name: 'Rooms', logo: 'rooms.svg', category_id: 2, local: true },
  ],
  ...STARTER_LOCATIONS.map((id) => ['known_locations_table', { id }] as const),
  ...STARTER_RUNES.map(
    ({ id, label }) => ['known_runes_table', { id, virtual_id: id, label, description: `Beacon: ${label}` }] as const,
  ),
  ['routes_table', { id: 'rounds', color: '#9c27b0', visible: true }],
  ['robot_configuration_table', { id: 'name', value: 'Pip' }],
  ['customized_prompts_table', { id: 1, name: 'Default', prompt: 'You are Pip.', selected: true, order: 1 }],
  [
    'animations_table',
    {
      id: 1,
      name: 'Wave a hand',
      favorite: true,
      type: 'animation',
      command_value: 'wave',
      subcategory_id: 1,
      robot_id: 1,
    },
    { id: 2, name: 'Bow', favorite: false, type: 'animation', command_value: 'bow', subcategory_id: 1, robot_id: 1 },
  ],
  [
    'navigation_table',
    {
      id: 1,
      name: 'Kitchen',
      favorite: true,
      type: 'navigation',
      command_value: 'kitchen',
      rune: 'rune-3',
      subcategory_id: 2,
    },
  ],
  [
    'tts_table',
    {
      id: 1,
      type: 'tts',
      name: { en: 'Hello', fr: 'Bonjour' },
      sentences: { en: ['Hello! I am Pip.'], fr: ['Bonjour ! Je suis Pip.'] },
      robot_id: 1,
      subcategory_id: 1,
    },
  ],
];

/** Fills a new database with a small robot, for a start in sim mode. */
export async function fillWithStarterRows(database: RobotDatabase): Promise<void> {
  for (const [name, ...rows] of ROWS) {
    const table = tableNamed(name);
    for (const row of rows) await database.insert(table.name, newRow(table, row));
  }
}
