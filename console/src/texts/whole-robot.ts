export const texts = {
  title: 'The whole robot',
  about:
    'Database, skills, language model, description and mapping in one file. Keys are never in it; settings are, without secrets, for reading.',
  make: 'Back up the whole robot',
  restore: 'Restore from a file',
  kept: 'Kept by earlier restores',
  restoreOf: (when: string) => `Restore what was there before ${when}`,
  restoreButton: 'Restore',
  would: (parts: string) =>
    `The archive is in order. It would replace: ${parts}. What is here now is kept as an archive.`,
  nothing: 'nothing',
  differs: 'Settings that differ; none is applied:',
  setting: (name: string, here: string, there: string) => `${name}: here ${here}, in the archive ${there}`,
  unset: 'not set',
  doRestore: 'Restore the robot',
  doAdopt: 'Take the data of the other robot',
  restored: (parts: string) => `Restored: ${parts}.`,
  restart: 'The mapping has changed: restart the service.',
  parts: {
    database: 'database',
    skills: 'skills',
    language_model: 'language model',
    description: 'description',
    mapping: 'mapping',
  } as Readonly<Record<string, string>>,
} as const;
