/**
 * JSON with every digit of its numbers. JavaScript's own rounds them beyond 2^53, writes 1e16 as an integer, and not every
 * browser shows the source of a number to a reviver; lossless-json drops members named `__proto__`.
 */

/** A number that JavaScript would write otherwise, as it was written. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A string that does not end is one, too: looking for its end again from each of its characters takes quadratic time. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/gs;
/** In any text with a number that JavaScript would write otherwise: most texts have none, and are parsed at once. */
const CANDIDATE = /\d{16}|\d[.eE]|-0/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** @throws SyntaxError. */
export function parseExact(json: string): unknown {
  if (!CANDIDATE.test(json)) return JSON.parse(json);
  const mark = newMark();
  const marked = json.replace(TOKEN, (token) =>
    NUMBER.test(token) && String(Number(token)) !== token ? `"${mark}${token}"` : token,
  );
  if (marked === json) return JSON.parse(json);
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value,
  );
}

/** The text of what {@link parseExact} has read. */
export function stringifyExact(value: unknown): string {
  const mark = newMark();
  const text = JSON.stringify(value, (_name, member: unknown) =>
    member instanceof ExactNumber ? mark + member.text : member,
  );
  const [first = '', ...others] = text.split(`"${mark}`);
  return first + others.map((part) => part.replace('"', '')).join('');
}

/** Before a number within a text: nobody can have written it there. */
function newMark(): string {
  return `${Math.random().toString(36).slice(2)}:`;
}
