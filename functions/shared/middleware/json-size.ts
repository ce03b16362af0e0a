import type { Fault } from '../errors.ts';
import { MAX_DEPTH, tooDeep } from './plain-json.ts';

/** Most members of all objects and arrays of a text together. */
export const MAX_MEMBERS = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Finds that a JSON text has too many members or is nested too deeply, in one pass and before anything is made of it.
 * What is no JSON may pass; the parser finds that.
 */
export function jsonSizeFault(text: string, maxMembers = MAX_MEMBERS): Fault | undefined {
  let members = 0;
  let depth = 0;
  /** The last character that counts opened an object or array: what follows is its first member, unless it is closed. */
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
  return undefined;
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
