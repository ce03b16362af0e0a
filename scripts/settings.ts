/** Prints the page of every setting: `npm run --silent settings > docs/configuration.md`. */
import * as z from 'zod';
import { SETTINGS } from '../functions/shared/settings.ts';

const HEAD = `# Configuration

All settings are environment variables; all are optional. At start, an unknown \`SERVICE_…\` name causes a warning, and an invalid
value an error that names the variable. \`npm run --silent settings\` generates this page from the schema.

| variable | default | meaning |
|---|---|---|
`;

const TAIL = `
Child processes only inherit \`PATH\`, \`LANG\`, \`HOME\`, \`XDG_RUNTIME_DIR\`, \`PULSE_SERVER\` and \`DBUS_*\`.
`;

/** The page as published in the documentation. */
export function settingsPage(): string {
  const rows = Object.entries(SETTINGS.shape).map(
    ([name, schema]) => `| \`${name}\` | ${defaultOf(schema)} | ${schema.description} |\n`,
  );
  return HEAD + rows.join('') + TAIL;
}

/** The value as written in the environment. */
function defaultOf(schema: z.ZodType): string {
  const value = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
  if (typeof value === 'boolean') return value ? '`1`' : '`0`';
  return typeof value === 'string' || typeof value === 'number' ? `\`${value}\`` : '';
}

if (process.argv[1]?.endsWith('settings.ts')) process.stdout.write(settingsPage());
