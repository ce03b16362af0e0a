import { action, type CommandRow, query } from './command-row.ts';

const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'pt'];
const PERCENT = { bounds: { minimum: 0, maximum: 100 }, unit: '%' } as const;

/** How the robot speaks and listens. */
export const CHARACTER_COMMANDS: readonly CommandRow[] = [
  query('none', 'get_character_name', 'Name of the character', () => 'Pip'),
  query('none', 'get_language', 'Language it speaks, ISO 639-1', ({ settings }) => settings.language),
  action('str', 'set_language', 'Set the language, ISO 639-1', ({ settings }, language) => {
    if (!LANGUAGES.includes(language)) return { set: false, msg: `The robot speaks ${LANGUAGES.join(', ')}` };
    settings.language = language;
    return { set: true, msg: `The robot speaks ${language}` };
  }),
  action(
    'int',
    'sound_level',
    'Set the sound level',
    ({ home }, percent) => {
      home.speaker.percent = percent;
      return { sound_level: percent };
    },
    PERCENT,
  ),
  action('bool', 'set_actions_by_voice', 'Turn actions by voice on or off', ({ settings }, on) => {
    settings.actionsByVoice = on;
    return { actions_by_voice: on };
  }),
];
