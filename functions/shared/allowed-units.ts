/** The computers of the robot that run services (specification, section 4.9). */
export const SYSTEMS = ['head', 'base'] as const;
export type System = (typeof SYSTEMS)[number];

/** For each computer the patterns of the units that may be listed and read; `*` matches any characters. */
export type AllowedUnits = Readonly<Record<System, readonly string[]>>;

export const NO_UNITS: AllowedUnits = Object.freeze({ head: [], base: [] });

/** For simulated services, which have nothing to hide. */
export const ALL_UNITS: AllowedUnits = Object.freeze({ head: ['*.service'], base: ['*.service'] });

const UNIT_NAME = /^[A-Za-z0-9@_.\\:][A-Za-z0-9@_.\\:-]{0,246}\.service$/;
const PATTERN = /^[A-Za-z0-9@_.\\:*][A-Za-z0-9@_.\\:*-]{0,246}\.service$/;

/**
 * Reads `head=robot-*.service,nav.service;base=*.service`.
 * @throws SyntaxError saying which part cannot be read.
 */
export function parseAllowedUnits(text: string): AllowedUnits {
  const allowed: Partial<Record<System, readonly string[]>> = {};
  for (const part of trimmed(text, ';')) {
    const [name, list, ...rest] = part.split('=').map((side) => side.trim());
    const system = SYSTEMS.find((known) => known === name);
    if (!system || list === undefined || rest.length > 0)
      throw new SyntaxError('each part has the form head=… or base=…, parts are separated by ;');
    if (allowed[system]) throw new SyntaxError(`${system}= appears twice`);
    allowed[system] = trimmed(list, ',').map(requirePattern);
  }
  return Object.freeze({ ...NO_UNITS, ...allowed });
}

function trimmed(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function requirePattern(pattern: string): string {
  if (PATTERN.test(pattern)) return pattern;
  throw new SyntaxError('a unit is a file name that ends in .service; * matches any characters in it');
}

/** Whether a name is the file name of a service unit, and one of the patterns covers it. */
export function isAllowed(patterns: readonly string[], name: string): boolean {
  return UNIT_NAME.test(name) && patterns.some((pattern) => covers(pattern, name));
}

/** Matches the whole name, in time proportional to pattern times name at worst. */
export function covers(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let retry = 0;
  let index = 0;
  while (index < name.length) {
    if (pattern[at] === '*') {
      star = at++;
      retry = index;
    } else if (pattern[at] === name[index]) {
      at += 1;
      index += 1;
    } else if (star !== -1) {
      at = star + 1;
      index = ++retry;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
