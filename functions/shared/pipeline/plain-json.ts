import type { Fault } from '../errors.ts';
import { repeatedMemberIn } from '../kit/exact-json.ts';
import { findInJson, type JsonPath, jsonPointer } from '../kit/json.ts';

/** Deepest nesting of arrays and objects that is taken in. */
export const MAX_DEPTH = 64;

/**
 * Finds what JSON can say but no answer could carry back unharmed: nesting beyond 64 levels, numbers beyond the range
 * of a double, a member named `__proto__`.
 */
export function plainJsonFault(root: unknown): Fault | undefined {
  return findInJson(root, faultIn);
}

/**
 * The same for a value with the text that it was parsed from, which has so many members ({@link jsonSize}): parsing has
 * dropped all but the last member of a name.
 */
export function parsedJsonFault(root: unknown, text: string, members: number): Fault | undefined {
  let found = -1; // the root is no member
  const fault = findInJson(root, (value, at) => {
    found += 1;
    return faultIn(value, at);
  });
  return fault ?? (found < members ? repeatedMember(text) : undefined);
}

function repeatedMember(text: string): Fault | undefined {
  const pointer = repeatedMemberIn(text);
  if (pointer === undefined) return undefined;
  return { pointer, message: 'This member is in its object more than once; send it once.' };
}

function faultIn(value: unknown, at: { key: unknown; depth: number; path: JsonPath }): Fault | undefined {
  if (at.key === '__proto__') {
    return { pointer: jsonPointer(at.path.slice(0, -1)), message: 'A member must not be named "__proto__".' };
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { pointer: jsonPointer(at.path), message: 'The number is beyond the range of a double.' };
  }
  return at.depth > MAX_DEPTH && typeof value === 'object' && value !== null ? tooDeep() : undefined;
}

function tooDeep(): Fault {
  return { pointer: '', message: `JSON may be nested at most ${MAX_DEPTH} levels deep. Send it flatter.` };
}

/** Most members of all objects and arrays of a text together. */
export const MAX_MEMBERS = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** The fault that {@link jsonSize} finds, if there is one. */
export function jsonSizeFault(text: string, maxMembers = MAX_MEMBERS): Fault | undefined {
  const size = jsonSize(text, maxMembers);
  return typeof size === 'number' ? undefined : size;
}

/**
 * Counts the members of all objects and arrays of a JSON text in one pass, before anything is made of it; a fault if
 * there are too many or they are nested too deeply. What is no JSON may pass; the parser finds that.
 */
export function jsonSize(text: string, maxMembers = MAX_MEMBERS): number | Fault {
  let members = 0;
  let depth = 0;
  /**
   * The last character that counts opened an object or array: what follows is its first member, unless it is closed.
   */
  let opened = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) continue;
    const closes = code === 0x5d || code === 0x7d; // ] }
    if (opened && !closes) members += 1;
    opened = code === 0x5b || code === 0x7b; // [ {
    if (opened) depth += 1;
    else if (closes) depth -= 1;
    else if (code === COMMA) members += 1;
    else if (code === QUOTE) at = endOfString(text, at);
    if (depth > MAX_DEPTH) return tooDeep();
    if (members > maxMembers) return tooManyMembers();
  }
  return members;
}

/** Position of the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) break;
  }
  return at;
}

function tooManyMembers(): Fault {
  return {
    pointer: '',
    message: `The objects and arrays of a body may have at most ${MAX_MEMBERS} members together. Send them in several requests.`,
  };
}
