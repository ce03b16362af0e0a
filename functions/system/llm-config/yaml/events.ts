import * as yaml from 'js-yaml';
import { missingIndentation, type Pad } from './flow-indentation.ts';

/** The parser's events with offsets into the text. What only lacks indentation in flow collections is read as well. */
export function eventsOf(text: string): yaml.Event[] {
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
  const back = wayBack(pads);
  try {
    return yaml.parseEvents(padded + text.slice(from), {}).map((event) => withOffsets(event, back));
  } catch (error) {
    const position = error instanceof yaml.YAMLException ? error.mark?.position : undefined;
    if (position === undefined) throw error;
    throw faultAt(text, back(position), error as yaml.YAMLException); // as: only one of these has a mark
  }
}

function faultAt(text: string, offset: number, { reason }: yaml.YAMLException): unknown {
  try {
    yaml.YAMLException.throwAt(text, offset, reason);
  } catch (error) {
    return error;
  }
}

/** Takes offsets of the padded text to those of the text as it is. */
function wayBack(pads: readonly Pad[]): (offset: number) => number {
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

function withOffsets(event: yaml.Event, back: (offset: number) => number): yaml.Event {
  const moved: Record<string, unknown> = { ...event };
  for (const name of OFFSETS) if (typeof moved[name] === 'number') moved[name] = back(moved[name]);
  return moved as unknown as yaml.Event; // as: the same event with other numbers
}

const KNOWN_TAG =
  /^(?:!|!!(?:str|int|float|bool|null|seq|map|merge)|!<tag:yaml\.org,2002:(?:str|int|float|bool|null|seq|map|merge)>)$/;

/** The tag of a node that YAML 1.2 core does not know, `!include` for instance: what it makes of the node is another program's. */
export function foreignTag(event: yaml.Event, text: string): string | undefined {
  if (!('tagStart' in event) || event.tagStart < 0) return undefined;
  const tag = text.slice(event.tagStart, event.tagEnd);
  return KNOWN_TAG.test(tag) ? undefined : tag;
}

/** The event of a node as it would be without its foreign tag. */
export function plainly(event: yaml.Event, text: string): yaml.Event {
  if (!('tagStart' in event) || foreignTag(event, text) === undefined) return event;
  return { ...event, tagStart: -1, tagEnd: -1 };
}
