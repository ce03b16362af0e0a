import * as yaml from 'js-yaml';
import { ServiceError } from '../../../shared/errors.ts';
import { textBeforeFault } from '../../../shared/kit/utf8.ts';
import { type ConfigMap, expandAliases, isMap, TooManyValues } from './config-value.ts';
import { eventsOf, withoutCustomTag } from './events.ts';

/** A parsed configuration file: its text, the parser events with offsets into it, and its values. */
export interface YamlDocument {
  readonly text: string;
  readonly events: readonly yaml.Event[];
  readonly value: ConfigMap;
}

/** Parses integers beyond 2^53 as bigints. */
const exactInteger = yaml.defineScalarTag<number | bigint | typeof yaml.NOT_RESOLVED>('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: yaml.intCoreTag.implicitFirstChars,
  resolve(source, isExplicit, tagName) {
    const number = yaml.intCoreTag.resolve(source, isExplicit, tagName);
    if (typeof number !== 'number' || Number.isSafeInteger(number)) return number;
    return source.startsWith('-') ? -BigInt(source.slice(1)) : BigInt(source.replace(/^\+/, ''));
  },
  identify: (value) => typeof value === 'bigint',
});

/** YAML 1.2 core plus the merge key, which files written for Python often use. */
const SCHEMA = yaml.CORE_SCHEMA.withTags(exactInteger, yaml.mergeTag);

/**
 * Parses a configuration file. An empty file is an empty map.
 * @throws ServiceError `config_unreadable` with line and column.
 */
export function readDocument(bytes: Buffer): YamlDocument {
  const text = bytes.toString('utf8');
  const before = textBeforeFault(bytes);
  if (before !== undefined) throw unreadable('not valid UTF-8', positionOf(text, before.length));
  return parseDocument(text);
}

/** As {@link readDocument}, from text. */
export function parseDocument(text: string): YamlDocument {
  try {
    const events = eventsOf(text);
    const plain = events.map((event) => withoutCustomTag(event, text));
    // `json`: the last of duplicate keys wins, as in PyYAML.
    const documents = yaml.constructFromEvents(plain, { source: text, schema: SCHEMA, json: true });
    if (documents.length > 1) throw unreadable('there is more than one document', secondDocument(text, events));
    const value = expandAliases(documents[0] ?? {});
    if (!isMap(value)) throw unreadable('the top level must be a map', positionOf(text, firstOffset(events)));
    return { text, events, value };
  } catch (error) {
    throw asUnreadable(error);
  }
}

/** Plain scalars that the core schema may read as something other than a string. */
const MAY_NOT_BE_STRING = /^([-+.~<\d]|(null|true|false)$|$)/i;

/** A scalar key as it appears in the map of values, where `0x10` is `16`. */
export function keyOf(event: yaml.ScalarEvent, text: string): string {
  const written = event.valueStart < 0 ? '' : yaml.getScalarValue(text, event);
  const isText = event.style !== yaml.SCALAR_STYLE.PLAIN || !MAY_NOT_BE_STRING.test(written);
  if (event.tagStart < 0 && isText) return written;
  const document: yaml.Event = {
    type: yaml.EVENT_ID.DOCUMENT,
    explicitStart: false,
    explicitEnd: false,
    directives: [],
  };
  const events = [document, withoutCustomTag(event, text), { type: yaml.EVENT_ID.POP }];
  return String(yaml.constructFromEvents(events, { source: text, schema: SCHEMA })[0]);
}

function asUnreadable(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof TooManyValues) return unreadable('its aliases expand into too many values', undefined, error);
  if (!(error instanceof yaml.YAMLException)) return unreadable('it cannot be parsed', undefined, error);
  const { mark, reason } = error;
  return unreadable(reason, mark && { line: mark.line + 1, column: mark.column + 1 }, error);
}

function unreadable(reason: string, position?: Position, cause?: unknown): ServiceError {
  const where = position ? ` at line ${position.line}, column ${position.column}` : '';
  return new ServiceError('config_unreadable', {
    detail: `The language-model configuration is invalid${where}: ${reason}. Nothing was changed; fix the file by hand.`,
    ...(position ? { members: { line: position.line, column: position.column } } : {}),
    cause,
  });
}

function secondDocument(text: string, events: readonly yaml.Event[]): Position | undefined {
  const starts = events.flatMap((event, index) => (event.type === yaml.EVENT_ID.DOCUMENT ? [index] : []));
  const offset = firstOffset(events.slice(starts[1]));
  return offset > 0 ? positionOf(text, offset) : undefined;
}

/** The offset of the first value among these events. */
function firstOffset(events: readonly yaml.Event[]): number {
  for (const event of events) {
    const offset = 'start' in event ? event.start : 'valueStart' in event ? event.valueStart : -1;
    if (offset >= 0) return offset;
  }
  return 0;
}

/** Counted from 1, as editors do. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** Line and column of an offset. */
function positionOf(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
