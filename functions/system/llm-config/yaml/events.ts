import * as yaml from 'js-yaml';
import { missingIndentation, type Pad } from './flow-indentation.ts';

/** Parser events with offsets into the text. Also accepts flow collections that are not indented enough. */
export function eventsOf(text: string): yaml.Event[] {
  return indentedEventsOf(text).map((event) => withoutAddedLineBreak(event, text));
}

/**
 * js-yaml adds a line break to a block scalar whose last line ends the file without one; YAML 1.2.2, section 8.1.1.2,
 * does not.
 */
function withoutAddedLineBreak(event: yaml.Event, text: string): yaml.Event {
  if (event.type !== yaml.EVENT_ID.SCALAR || event.valueEnd !== text.length) return event;
  const { LITERAL_BLOCK, FOLDED_BLOCK } = yaml.SCALAR_STYLE;
  if (event.style !== LITERAL_BLOCK && event.style !== FOLDED_BLOCK) return event;
  const lastLineLength = text.length - 1 - Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
  return lastLineLength > event.indent ? { ...event, chomping: yaml.CHOMPING_MODE.STRIP } : event;
}

function indentedEventsOf(text: string): yaml.Event[] {
  try {
    return yaml.parseEvents(text, {});
  } catch (error) {
    if (!(error instanceof yaml.YAMLException)) throw error;
    const pads = missingIndentation(text);
    if (pads === undefined || pads.length === 0) throw error;
    return eventsOfPadded(text, pads);
  }
}

function eventsOfPadded(text: string, pads: readonly Pad[]): yaml.Event[] {
  let padded = '';
  let from = 0;
  for (const { offset, blanks } of pads) {
    padded += text.slice(from, offset) + ' '.repeat(blanks);
    from = offset;
  }
  const toOriginal = offsetMapper(pads);
  try {
    return yaml.parseEvents(padded + text.slice(from), {}).map((event) => mapOffsets(event, toOriginal));
  } catch (error) {
    const position = error instanceof yaml.YAMLException ? error.mark?.position : undefined;
    if (position === undefined) throw error;
    throw parseErrorAt(text, toOriginal(position), error as yaml.YAMLException); // as: only one of these has a mark
  }
}

function parseErrorAt(text: string, offset: number, { reason }: yaml.YAMLException): unknown {
  try {
    yaml.YAMLException.throwAt(text, offset, reason);
  } catch (error) {
    return error;
  }
}

/** Maps offsets in the padded text to offsets in the original text. */
function offsetMapper(pads: readonly Pad[]): (offset: number) => number {
  let added = 0;
  const starts = pads.map(({ offset, blanks }) => {
    added += blanks;
    return { padded: offset + added - blanks, offset, added };
  });
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle]?.padded ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    const line = starts[low - 1];
    return line ? Math.max(offset - line.added, line.offset) : offset;
  };
}

const OFFSETS = ['start', 'valueStart', 'valueEnd', 'anchorStart', 'anchorEnd', 'tagStart', 'tagEnd'] as const;

function mapOffsets(event: yaml.Event, map: (offset: number) => number): yaml.Event {
  const mapped: Record<string, unknown> = { ...event };
  for (const name of OFFSETS) if (typeof mapped[name] === 'number') mapped[name] = map(mapped[name]);
  return mapped as unknown as yaml.Event; // as: the same event with other numbers
}

const KNOWN_TAG =
  /^(?:!|!!(?:str|int|float|bool|null|seq|map|merge)|!<tag:yaml\.org,2002:(?:str|int|float|bool|null|seq|map|merge)>)$/;

/**
 * The tag of a node if it is not part of YAML 1.2 core, such as `!include`: only some other program knows its meaning.
 */
export function customTag(event: yaml.Event, text: string): string | undefined {
  if (!('tagStart' in event) || event.tagStart < 0) return undefined;
  const tag = text.slice(event.tagStart, event.tagEnd);
  return KNOWN_TAG.test(tag) ? undefined : tag;
}

/** The event without its custom tag. */
export function withoutCustomTag(event: yaml.Event, text: string): yaml.Event {
  if (!('tagStart' in event) || customTag(event, text) === undefined) return event;
  return { ...event, tagStart: -1, tagEnd: -1 };
}
