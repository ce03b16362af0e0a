import { isUtf8 } from 'node:buffer';
import * as yaml from 'js-yaml';
import { ServiceError } from '../../../shared/errors.ts';
import { type ConfigMap, isMap, TooManyValues, unfold } from './config-value.ts';
import { eventsOf, plainly } from './events.ts';
import { type Position, positionOf } from './position.ts';

/** A configuration file taken apart: its text, the parser's events with offsets into it, and its values. */
export interface YamlDocument {
  readonly text: string;
  readonly events: readonly yaml.Event[];
  readonly value: ConfigMap;
}

/** An integer keeps its digits beyond 2^53. */
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

/** YAML 1.2 core, and the merge key, which files written for Python often use. */
const SCHEMA = yaml.CORE_SCHEMA.withTags(exactInteger, yaml.mergeTag);

/**
 * Reads a configuration file. One that holds nothing is an empty map.
 * @throws ServiceError `config_unreadable` naming line and column.
 */
export function readDocument(bytes: Buffer): YamlDocument {
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes)) {
    throw unreadable('this is not UTF-8', positionOf(text, firstDifference(bytes, Buffer.from(text)).length));
  }
  return parseDocument(text);
}

/** As {@link readDocument}, from text. */
export function parseDocument(text: string): YamlDocument {
  try {
    const events = eventsOf(text);
    const plain = events.map((event) => plainly(event, text));
    const documents = yaml.constructFromEvents(plain, { source: text, schema: SCHEMA });
    if (documents.length > 1) throw unreadable('there is more than one document', secondDocument(text, events));
    const value = documents.length === 0 ? unfold({}) : unfold(documents[0]);
    if (!isMap(value)) throw unreadable('a map of keys and values is needed', positionOf(text, firstOffset(events)));
    return { text, events, value };
  } catch (error) {
    throw asUnreadable(error);
  }
}

/** Plain text that the core schema may read as something other than text. */
const MAY_BE_MORE = /^([-+.~<\d]|(null|true|false)$|$)/i;

/** A scalar key as the map of values names it: the map knows `0x10` as `16`. */
export function keyOf(event: yaml.ScalarEvent, text: string): string {
  const written = event.valueStart < 0 ? '' : yaml.getScalarValue(text, event);
  const isText = event.style !== yaml.SCALAR_STYLE.PLAIN || !MAY_BE_MORE.test(written);
  if (event.tagStart < 0 && isText) return written;
  const document: yaml.Event = {
    type: yaml.EVENT_ID.DOCUMENT,
    explicitStart: false,
    explicitEnd: false,
    directives: [],
  };
  const events = [document, plainly(event, text), { type: yaml.EVENT_ID.POP }];
  return String(yaml.constructFromEvents(events, { source: text, schema: SCHEMA })[0]);
}

function asUnreadable(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof TooManyValues) return unreadable('its aliases unfold into too many values', undefined, error);
  if (!(error instanceof yaml.YAMLException)) return unreadable('it cannot be parsed', undefined, error);
  const { mark, reason } = error;
  return unreadable(reason, mark && { line: mark.line + 1, column: mark.column + 1 }, error);
}

function unreadable(reason: string, position?: Position, cause?: unknown): ServiceError {
  const where = position ? ` at line ${position.line}, column ${position.column}` : '';
  return new ServiceError('config_unreadable', {
    detail: `The language-model configuration is broken${where}: ${reason}. It was left as it is; mend the file by hand.`,
    ...(position ? { members: { line: position.line, column: position.column } } : {}),
    cause,
  });
}

function secondDocument(text: string, events: readonly yaml.Event[]): Position | undefined {
  const starts = events.flatMap((event, index) => (event.type === yaml.EVENT_ID.DOCUMENT ? [index] : []));
  const offset = firstOffset(events.slice(starts[1]));
  return offset > 0 ? positionOf(text, offset) : undefined;
}

/** Where the first value of these events stands. */
function firstOffset(events: readonly yaml.Event[]): number {
  for (const event of events) {
    const offset = 'start' in event ? event.start : 'valueStart' in event ? event.valueStart : -1;
    if (offset >= 0) return offset;
  }
  return 0;
}

/** The part, as text, in which the file and its decoded and encoded form agree. */
function firstDifference(bytes: Buffer, again: Buffer): string {
  const end = bytes.findIndex((byte, index) => byte !== again[index]);
  return bytes.subarray(0, end).toString('utf8');
}
