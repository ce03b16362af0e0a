import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../../shared/errors.ts';
import { type ConfigMap, type ConfigValue, expandAliases, isMap, valueAt, withValueAt } from './config-value.ts';
import { parseDocument, type YamlDocument } from './document.ts';
import { ALIASED, DUPLICATE, locate } from './locate.ts';
import { renderings } from './render.ts';

interface Patched {
  /** The whole new text; unchanged if the key already had this value. */
  readonly text: string;
  readonly previous: ConfigValue;
}

/**
 * Changes the value of one key and no byte outside the old value. The result is parsed again to verify that it has the
 * new value and that nothing else has changed.
 * @throws ServiceError `config_key_not_found`, `wrong_value_type`; `conflict` if an anchor, an alias or a merge key
 * ties the value to another one, or if its key occurs more than once.
 */
export function patch(document: YamlDocument, key: string, newValue: ConfigValue): Patched {
  const path = pathOf(document.value, key);
  const previous = path && valueAt(document.value, path);
  if (path === undefined || previous === undefined) throw unknownKey(key, document.value);
  assertSameType(key, previous, newValue);
  const location = locate(document, path);
  if (location === DUPLICATE) throw notPatchable(`"${key}", or one of its parent keys, occurs more than once.`);
  if (location === ALIASED) throw notPatchable(`The value of "${key}" is an alias of a value elsewhere in the file.`);
  if (location === undefined)
    throw notPatchable(`The value of "${key}" comes from another map through a merge key (<<).`);
  const value = expandAliases(newValue);
  if (isDeepStrictEqual(previous, value)) return { text: document.text, previous };
  if (location.customTag !== undefined)
    throw notPatchable(
      `The value of "${key}" contains the tag ${location.customTag}, whose meaning only the program that reads it knows.`,
    );
  const expected = withValueAt(document.value, path, value);
  for (const { start, end, text } of renderings(document.text, location, value)) {
    const patched = document.text.slice(0, start) + text + document.text.slice(end);
    if (parsesTo(patched, expected)) return { text: patched, previous };
  }
  throw notPatchable(
    `The value of "${key}" cannot be changed in isolation: an anchor or its notation ties it to other lines.`,
  );
}

/** A literal top-level key wins; otherwise dots separate the keys of nested maps. */
function pathOf(root: ConfigMap, key: string): readonly string[] | undefined {
  if (Object.hasOwn(root, key)) return [key];
  const path = key.split('.');
  return valueAt(root, path) === undefined ? undefined : path;
}

function parsesTo(text: string, expected: ConfigMap): boolean {
  try {
    return isDeepStrictEqual(parseDocument(text).value, expected);
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function assertSameType(key: string, previous: ConfigValue, newValue: ConfigValue): void {
  const [before, after] = [typeName(previous), typeName(newValue)];
  if (before === after || before === 'null' || after === 'null') return;
  const message = `"${key}" is a ${before}, but the new value is a ${after}.`;
  throw new ServiceError('wrong_value_type', { detail: message, errors: [{ pointer: '/value', message }] });
}

/** Integers and floats count as one type. */
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
    detail: `The configuration has no key "${key}". Its top-level keys: ${shown}${known.length > 20 ? ', …' : ''}.`,
    errors: [{ pointer: '/command', message: 'Unknown key.' }],
  });
}

function notPatchable(reason: string): ServiceError {
  return new ServiceError('conflict', { detail: `${reason} Edit the file by hand.` });
}
