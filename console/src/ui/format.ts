/** `3 s`, `4 min`, `2 h`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '…';
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** The time of day, with the date unless it is today. */
export function clock(time: Date | string | undefined): string {
  const date = new Date(time ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '';
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? CLOCK.format(date) : `${DAY.format(date)} ${CLOCK.format(date)}`;
}

export function number(value: unknown, digits = 2): string {
  return typeof value === 'number' && Number.isFinite(value) ? value.toFixed(digits) : '–';
}

export function bytes(count: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)));
  const value = count / 1000 ** power;
  return `${value >= 100 || power === 0 ? value.toFixed(0) : value.toFixed(1)}\u00a0${units[power]}`;
}

/** A value as one line, which can be broken between its members. */
export function inline(value: unknown): string {
  if (value === undefined) return '';
  const lines = typeof value === 'string' ? [value] : JSON.stringify(value, undefined, 1).split('\n');
  const text = lines.map((line) => line.trimStart()).join(' ');
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

const MAX_SHOWN = 20_000;

/** A value as text; what is very long is cut, as a page would choke on it. */
export function block(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : text;
}
