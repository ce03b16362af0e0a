import type { RestoredRobot } from './backup.schema.ts';

type Settings = Readonly<Record<string, string>>;

/** Texts of a setting are cut to so many characters: they come from outside. */
const MAX_CHARS = 1_000;
const MAX_SETTINGS = 500;

/** How the settings of an archive differ from those here. What is no list of settings counts as none. */
export function differingSettings(here: Settings, archive: Buffer | undefined): RestoredRobot['settings'] {
  const there = settingsIn(archive);
  if (!there) return [];
  return [...new Set([...Object.keys(here), ...Object.keys(there)])]
    .sort()
    .filter((name) => here[name] !== there[name])
    .map((name) => ({ name, here: here[name] ?? null, archive: there[name] ?? null }));
}

function settingsIn(text: Buffer | undefined): Settings | undefined {
  try {
    const json: unknown = JSON.parse(String(text));
    if (typeof json !== 'object' || json === null) return undefined;
    const settings = Object.entries(json).filter(([name]) => /^SERVICE_[A-Z_]{1,64}$/.test(name));
    return Object.fromEntries(
      settings.slice(0, MAX_SETTINGS).map(([name, value]) => [name, String(value).slice(0, MAX_CHARS)]),
    );
  } catch {
    return undefined;
  }
}
