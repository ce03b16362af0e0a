import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../../shared/errors.ts';
import { type ConfigMap, type ConfigValue, isMap, unfold, valueAt, withValueAt } from './config-value.ts';
import { parseDocument, type YamlDocument } from './document.ts';
import { ALIASED, locate } from './locate.ts';
import { renderings } from './render.ts';

export interface Patched {
  /** The whole new text; the same one when the value stood there already. */
  readonly text: string;
  readonly previous: ConfigValue;
}

/**
 * Another value for one key, and every byte outside the old value as it was. The result has been parsed again: it says
 * the new value and nothing else has changed.
 * @throws ServiceError `config_key_not_found`, `wrong_value_type`, `conflict` when an anchor, an alias or a merge key ties
 * the value to another one.
 */
export function patch(document: YamlDocument, key: string, wanted: ConfigValue): Patched {
  const path = pathOf(document.value, key);
  const previous = path && valueAt(document.value, path);
  if (path === undefined || previous === undefined) throw unknownKey(key, document.value);
  requireSameType(key, previous, wanted);
  const place = locate(document, path);
  if (place === ALIASED) throw tied(`The value of "${key}" stands at another place and is shown here by an alias.`);
  if (place === undefined) throw tied(`The value of "${key}" comes from another map by a merge key (<<).`);
  const value = unfold(wanted);
  if (isDeepStrictEqual(previous, value)) return { text: document.text, previous };
  if (place.foreignTag !== undefined)
    throw tied(`The value of "${key}" holds the tag ${place.foreignTag}, which only the program that reads it knows.`);
  const expected = withValueAt(document.value, path, value);
  for (const { start, end, text } of renderings(document.text, place, value)) {
    const patched = document.text.slice(0, start) + text + document.text.slice(end);
    if (says(patched, expected)) return { text: patched, previous };
  }
  throw tied(
    `The value of "${key}" cannot be changed alone: an anchor or the way it is written ties it to other lines.`,
  );
}

/** A literal key at the top wins; else dots lead into nested maps. */
function pathOf(root: ConfigMap, key: string): readonly string[] | undefined {
  if (Object.hasOwn(root, key)) return [key];
  const path = key.split('.');
  return valueAt(root, path) === undefined ? undefined : path;
}

function says(text: string, expected: ConfigMap): boolean {
  try {
    return isDeepStrictEqual(parseDocument(text).value, expected);
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function requireSameType(key: string, previous: ConfigValue, wanted: ConfigValue): void {
  const [before, after] = [typeName(previous), typeName(wanted)];
  if (before === after || before === 'null' || after === 'null') return;
  const message = `"${key}" holds a ${before}; the value sent is a ${after}.`;
  throw new ServiceError('wrong_value_type', { detail: message, errors: [{ pointer: '/value', message }] });
}

/** Integers and fractions are one type. */
function typeName(value: ConfigValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (isMap(value)) return 'map';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

function unknownKey(key: string, root: ConfigMap): ServiceError {
  const known = Object.keys(root);
  const shown = known.slice(0, 20).join(', ');
  return new ServiceError('config_key_not_found', {
    detail: `The configuration has no key "${key}". Its keys at the top: ${shown}${known.length > 20 ? ', …' : ''}.`,
    errors: [{ pointer: '/command', message: 'There is no such key.' }],
  });
}

function tied(why: string): ServiceError {
  return new ServiceError('conflict', { detail: `${why} Edit the file by hand.` });
}
