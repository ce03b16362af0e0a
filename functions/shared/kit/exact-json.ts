import { findInJson, type JsonValue, jsonPointer } from './json.ts';

/**
 * JSON pointer to the first integer beyond ±(2^53-1) in valid JSON text, which parsing rounds. An integer is a number
 * token without `.`, `e` and `E`: 1e16 is a double, and stays what it is.
 */
export function unsafeIntegerIn(json: string): string | undefined {
  if (!/\d{16}/.test(json)) return undefined;
  return findInTokens(json, (token, path) =>
    /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? jsonPointer(path) : undefined,
  );
}

/** JSON pointer to the first member of valid JSON text whose object has one of that name already. */
export function repeatedMemberIn(json: string): string | undefined {
  const names: Array<Set<unknown>> = [];
  return findInTokens(json, (token, path) => {
    if (token === '{' || token === '[') names.push(new Set());
    else if (token === '}' || token === ']') names.pop();
    else if (token === ':') {
      const name = path.at(-1);
      if (names.at(-1)?.has(name)) return jsonPointer(path);
      names.at(-1)?.add(name);
    }
    return undefined;
  });
}

/** The first result that `check` gives for a token of valid JSON text, with the path of the value it belongs to. */
function findInTokens<T>(
  json: string,
  check: (token: string, path: ReadonlyArray<string | number>) => T | undefined,
): T | undefined {
  const path: Array<string | number> = [];
  let key = '';
  for (let at = 0; at < json.length; ) {
    const end = tokenEnd(json, at);
    const token = json.slice(at, end);
    const last = path.length - 1;
    const step = path[last];
    if (token === '{' || token === '[') path.push(token === '[' ? 0 : '');
    else if (token === '}' || token === ']') path.pop();
    else if (token === ',') path[last] = typeof step === 'number' ? step + 1 : '';
    else if (token === ':')
      path[last] = JSON.parse(key) as string; // as: a key is a text
    else if (token.startsWith('"')) key = token;
    const found = check(token, path);
    if (found !== undefined) return found;
    at = end;
  }
  return undefined;
}

/**
 * The path to an integer beyond ±(2^53-1) in a parsed JSON value: it was rounded when it was parsed, and to send it on
 * would change what the caller said.
 */
export function unsafeIntegerPath(root: unknown): Array<string | number> | undefined {
  return findInJson(root, (value, at) => {
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? at.path : undefined;
  });
}

/** Behind the text or the number that starts here, else behind this one character. */
function tokenEnd(json: string, start: number): number {
  let end = start + 1;
  const first = json.charAt(start);
  if (first === '"') {
    while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
    return end + 1;
  }
  if ('-0123456789'.includes(first)) while (end < json.length && '0123456789.eE+-'.includes(json.charAt(end))) end += 1;
  return end;
}

/** A number as JSON text that says whether it is an integer or a double: 1e16 would else read back as an integer. */
export function numberText(number: number): string {
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? number.toExponential() : JSON.stringify(number);
}

/** As JSON.stringify, with every number as {@link numberText} writes it. */
export function exactJson(value: JsonValue): string {
  const text = JSON.stringify(value);
  return /\d{16}/.test(text) ? written(value) : text;
}

function written(value: JsonValue): string {
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`;
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${written(member)}`)
    .join(',')}}`;
}
