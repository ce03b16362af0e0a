import type { Unit } from '../port.ts';

type Row = Readonly<Record<string, string>>;

/**
 * Joins the output of `systemctl list-unit-files` and `systemctl list-units --all`, sorted by name. Both are JSON since
 * systemd 246, and columns before. Unknown lines are skipped.
 */
export function joinUnits(unitFiles: string, loadedUnits: string): Unit[] {
  const states = new Map<string, string>();
  for (const row of rows(unitFiles, ['unit_file', 'state', 'preset'])) {
    if (row.unit_file?.endsWith('.service')) states.set(row.unit_file, row.state ?? '');
  }
  const units = new Map<string, Unit>();
  for (const name of states.keys()) {
    const unloaded = { description: null, load_state: null, active_state: 'inactive', sub_state: 'dead' };
    units.set(name, { name, ...unloaded, enabled: isEnabled(states.get(name)) });
  }
  for (const row of rows(loadedUnits, ['unit', 'load', 'active', 'sub', 'description'])) {
    if (!row.unit?.endsWith('.service')) continue;
    units.set(row.unit, {
      name: row.unit,
      description: row.description ?? '',
      load_state: row.load ?? '',
      active_state: row.active ?? '',
      sub_state: row.sub ?? '',
      enabled: isEnabled(states.get(row.unit)),
    });
  }
  return [...units.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function isEnabled(state: string | undefined): boolean | null {
  return state === undefined ? null : state === 'enabled' || state === 'enabled-runtime';
}

function rows(text: string, columns: readonly string[]): Row[] {
  if (!text.trimStart().startsWith('[')) return text.split('\n').map((line) => columnsOf(line, columns));
  try {
    return (JSON.parse(text) as unknown[]).map(stringsOf); // as: JSON that begins with a bracket is a list
  } catch {
    return [];
  }
}

/** The last column may contain spaces. Failed units have a leading marker. */
function columnsOf(line: string, columns: readonly string[]): Row {
  const words = line
    .replace(/^[^\w@.\\-]+/, '')
    .trim()
    .split(/\s+/);
  const last = columns.length - 1;
  const row = columns.map(
    (column, index) => [column, index < last ? words[index] : words.slice(last).join(' ')] as const,
  );
  return Object.fromEntries(row.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
}

function stringsOf(value: unknown): Row {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}
