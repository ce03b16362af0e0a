import { type AllowedUnits, SYSTEMS } from '../allowed-units.ts';
import type { Config } from '../config.ts';
import { SETTINGS, type Settings } from '../settings.ts';
import { maskUrl } from './mask-url.ts';

/** Settings that are a secret as a whole. */
const SECRETS: ReadonlySet<string> = new Set(['SERVICE_JWT_SIGNING_KEY', 'SERVICE_API_KEYS']);
const MASK = '***';

/**
 * The settings in force that have a value, by their names, as they would be written in the environment. Secrets are
 * `***`, as are passwords inside URLs.
 */
export function maskedSettings(config: Config): Readonly<Record<string, string>> {
  const names = Object.keys(SETTINGS.shape).sort() as Array<keyof Settings>; // as: the keys of its schema
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = config[name];
      if (value === undefined) return [];
      return [[name, SECRETS.has(name) ? MASK : maskUrl(written(value))]];
    }),
  );
}

function written(value: NonNullable<Settings[keyof Settings]>): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value !== 'object') return String(value);
  if ('head' in value) return writtenUnits(value);
  return value.join(',');
}

function writtenUnits(units: AllowedUnits): string {
  return SYSTEMS.filter((system) => units[system].length > 0)
    .map((system) => `${system}=${units[system].join(',')}`)
    .join(';');
}
