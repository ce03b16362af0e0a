import * as yaml from 'js-yaml';
import { keyOf, type YamlDocument } from './document.ts';
import { foreignTag } from './events.ts';

const { SEQUENCE, MAPPING, SCALAR, ALIAS, POP, DOCUMENT } = yaml.EVENT_ID;
const { BLOCK } = yaml.COLLECTION_STYLE;
const { PLAIN, SINGLE_QUOTED, DOUBLE_QUOTED } = yaml.SCALAR_STYLE;

export type Style = 'plain' | 'single' | 'double' | 'block-scalar' | 'flow' | 'block' | 'empty';

/** Where a value stands. Offsets into the text; ends are exclusive. */
export interface Place {
  readonly style: Style;
  /** Behind the colon of the key. */
  readonly afterColon: number;
  /** False for a key in a flow map that has no colon: `{a, b}`. */
  readonly hasColon: boolean;
  /** Behind the colon, or behind an anchor or tag that follows it. */
  readonly afterProperties: number;
  readonly start: number;
  readonly end: number;
  /** The name behind `&`, when the value bears one. */
  readonly anchor: string | undefined;
  readonly tagged: boolean;
  /** A tag on or in the value that only other programs know. */
  readonly foreignTag: string | undefined;
  /** Columns the lines of a block are indented by. */
  readonly indent: number;
}

/** A value that is an alias, or lies behind one: it is written somewhere else. */
export const ALIASED = Symbol('aliased');

/** Finds the value at a path of keys; undefined when the file does not write it there (a merge key may still bring it). */
export function locate({ text, events }: YamlDocument, path: readonly string[]): Place | typeof ALIASED | undefined {
  const walk = new Walk(text, events);
  return walk.find(path);
}

/** Goes through the events once and knows behind which character of the text it stands. */
class Walk {
  readonly #text: string;
  readonly #events: readonly yaml.Event[];
  #index = 0;
  #cursor = 0;

  constructor(text: string, events: readonly yaml.Event[]) {
    this.#text = text;
    this.#events = events;
  }

  find(path: readonly string[]): Place | typeof ALIASED | undefined {
    if (this.#peek()?.type === DOCUMENT) this.#index += 1;
    for (const [depth, wanted] of path.entries()) {
      const event = this.#peek();
      if (event?.type === ALIAS) return ALIASED;
      if (event?.type !== MAPPING) return undefined;
      this.#enter(event);
      const colon = this.#seek(wanted, event.style === BLOCK);
      if (!colon) return undefined;
      if (depth === path.length - 1) return this.#place(colon);
    }
    return undefined;
  }

  /** Goes on to the value of a key of the map it stands in. */
  #seek(wanted: string, block: boolean): Colon | undefined {
    while (this.#peek()?.type !== POP) {
      const key = this.#peek() as yaml.Event; // as: a map ends with POP
      this.#toKey(block);
      const name = key.type === SCALAR ? keyOf(key, this.#text) : undefined;
      this.#skip();
      const colon = this.#toValue();
      if (name === wanted) return colon;
      this.#skip();
    }
    return undefined;
  }

  #place(colon: Colon): Place | typeof ALIASED {
    const event = this.#peek() as Exclude<yaml.Event, yaml.DocumentEvent | yaml.PopEvent>; // as: a key has a value
    if (event.type === ALIAS) return ALIASED;
    const afterProperties = Math.max(colon.offset, event.anchorEnd, event.tagEnd);
    const first = this.#index;
    const { start, end } = this.#skip();
    const tags = this.#events.slice(first, this.#index).map((each) => foreignTag(each, this.#text));
    return {
      style: styleOf(event),
      afterColon: colon.offset,
      hasColon: colon.written,
      afterProperties,
      start,
      end,
      anchor: event.anchorStart < 0 ? undefined : this.#text.slice(event.anchorStart, event.anchorEnd),
      tagged: event.tagStart >= 0,
      foreignTag: tags.find((tag) => tag !== undefined),
      indent: event.type === SCALAR ? Math.max(event.indent, 1) : this.#columnOf(start),
    };
  }

  /** Passes over one node with all it holds. */
  #skip(): { start: number; end: number } {
    const event = this.#events[this.#index] as yaml.Event; // as: callers have seen that there is one
    let start = this.#cursor;
    if (event.type === SCALAR) {
      start = this.#skipScalar(event);
    } else if (event.type === ALIAS) {
      this.#index += 1;
      this.#cursor = event.anchorEnd;
    } else if (event.type === MAPPING || event.type === SEQUENCE) {
      start = event.start;
      this.#skipCollection(event);
    }
    return { start, end: this.#cursor };
  }

  #skipScalar(event: yaml.ScalarEvent): number {
    this.#index += 1;
    const from = Math.max(this.#cursor, event.anchorEnd, event.tagEnd);
    if (event.valueStart < 0) {
      this.#cursor = from;
      return from;
    }
    if (event.style === PLAIN) {
      this.#cursor = event.valueEnd;
      return event.valueStart;
    }
    if (event.style === SINGLE_QUOTED || event.style === DOUBLE_QUOTED) {
      this.#cursor = event.valueEnd + 1;
      return event.valueStart - 1;
    }
    const header = this.#blankEnd(from);
    this.#cursor = Math.max(blockEnd(this.#text, event), this.#lineEnd(header));
    return header;
  }

  #skipCollection(event: yaml.MappingEvent | yaml.SequenceEvent): void {
    const block = event.style === BLOCK;
    const bracketed = !block && /[[{]/.test(this.#text.charAt(event.start));
    this.#enter(event);
    while (this.#peek()?.type !== POP) {
      if (event.type === MAPPING) {
        this.#toKey(block);
        this.#skip();
        this.#toValue();
      } else {
        this.#pass(block ? '-' : ',');
      }
      this.#skip();
    }
    this.#index += 1;
    if (bracketed) {
      this.#pass(',');
      this.#pass(event.type === MAPPING ? '}' : ']');
    }
  }

  #enter(event: yaml.MappingEvent | yaml.SequenceEvent): void {
    this.#index += 1;
    this.#cursor = event.start;
    if (event.style !== BLOCK && /[[{]/.test(this.#text.charAt(event.start))) this.#cursor += 1;
  }

  #toKey(block: boolean): void {
    if (!block) this.#pass(',');
    this.#pass('?');
  }

  #toValue(): Colon {
    const written = this.#pass(':');
    return { offset: this.#cursor, written };
  }

  /** Steps behind this character if it is the next one that is neither space nor comment. */
  #pass(character: string): boolean {
    const next = this.#blankEnd(this.#cursor);
    if (this.#text[next] !== character) return false;
    this.#cursor = next + 1;
    return true;
  }

  #blankEnd(from: number): number {
    let end = from;
    for (;;) {
      const character = this.#text.charAt(end);
      if (character === '#' && (end === 0 || isBlank(this.#text.charAt(end - 1)))) end = this.#lineEnd(end);
      else if (character !== '' && isBlank(character)) end += 1;
      else return end;
    }
  }

  #lineEnd(from: number): number {
    let end = from;
    while (end < this.#text.length && !'\r\n'.includes(this.#text.charAt(end))) end += 1;
    return end;
  }

  #columnOf(offset: number): number {
    const line = Math.max(this.#text.lastIndexOf('\n', offset - 1), this.#text.lastIndexOf('\r', offset - 1)) + 1;
    return offset - line;
  }

  #peek(): yaml.Event | undefined {
    return this.#events[this.#index];
  }
}

function isBlank(character: string): boolean {
  return ' \t\r\n\ufeff'.includes(character);
}

interface Colon {
  readonly offset: number;
  readonly written: boolean;
}

/** Behind the last character of a block scalar. Blank lines that follow it belong to it only if it keeps them (`+`). */
function blockEnd(text: string, { valueStart, valueEnd, chomping }: yaml.ScalarEvent): number {
  if (chomping === yaml.CHOMPING_MODE.KEEP) return lineBefore(text, valueEnd);
  let end = valueEnd;
  while (end > valueStart && ' \t\r\n'.includes(text.charAt(end - 1))) end -= 1;
  if (end === valueStart) return lineBefore(text, end); // nothing but its indicator
  while (end < valueEnd && !'\r\n'.includes(text.charAt(end))) end += 1; // blanks at the end of its last line are its own
  return end;
}

/** Before the line break that ends here, if one does. */
function lineBefore(text: string, offset: number): number {
  if (text.slice(offset - 2, offset) === '\r\n') return offset - 2;
  return '\r\n'.includes(text.charAt(offset - 1)) ? offset - 1 : offset;
}

function styleOf(event: yaml.ScalarEvent | yaml.MappingEvent | yaml.SequenceEvent): Style {
  if (event.type !== SCALAR) return event.style === BLOCK ? 'block' : 'flow';
  if (event.valueStart < 0) return 'empty';
  if (event.style === PLAIN) return 'plain';
  if (event.style === SINGLE_QUOTED) return 'single';
  return event.style === DOUBLE_QUOTED ? 'double' : 'block-scalar';
}
