import * as yaml from 'js-yaml';
import { blockEnd } from './block-end.ts';
import { keyOf, type YamlDocument } from './document.ts';
import { customTag } from './events.ts';

const { SEQUENCE, MAPPING, SCALAR, ALIAS, POP, DOCUMENT } = yaml.EVENT_ID;
const { BLOCK } = yaml.COLLECTION_STYLE;
const { PLAIN, SINGLE_QUOTED, DOUBLE_QUOTED } = yaml.SCALAR_STYLE;

type Style = 'plain' | 'single' | 'double' | 'block-scalar' | 'flow' | 'block' | 'empty';

/** The location of a value, in offsets into the text; ends are exclusive. */
export interface Location {
  readonly style: Style;
  /** After the colon of the key. */
  readonly afterColon: number;
  /** False for a key in a flow map that has no colon: `{a, b}`. */
  readonly hasColon: boolean;
  /** After the colon, or after an anchor or tag that follows it. */
  readonly afterProperties: number;
  readonly start: number;
  readonly end: number;
  /** The name after `&`, if the value has an anchor. */
  readonly anchor: string | undefined;
  readonly tagged: boolean;
  /** A tag on or inside the value that is not part of YAML 1.2 core. */
  readonly customTag: string | undefined;
  /** Indentation of a block's lines, in columns. */
  readonly indent: number;
}

/** The value is an alias or is reached through one, so it is written somewhere else. */
export const ALIASED = Symbol('aliased');

/** The key, or a key on the path to it, occurs more than once in its map. */
export const DUPLICATE = Symbol('duplicate');

type Found = Location | typeof ALIASED | typeof DUPLICATE | undefined;

/** Finds the value at a path of keys; undefined if it is not written there (a merge key may still provide it). */
export function locate({ text, events }: YamlDocument, path: readonly string[]): Found {
  const walk = new Walk(text, events);
  return walk.find(path);
}

/** Walks the events once, tracking the corresponding position in the text. */
class Walk {
  readonly #text: string;
  readonly #events: readonly yaml.Event[];
  #index = 0;
  #cursor = 0;

  constructor(text: string, events: readonly yaml.Event[]) {
    this.#text = text;
    this.#events = events;
  }

  find(path: readonly string[]): Found {
    if (this.#peek()?.type === DOCUMENT) this.#index += 1;
    for (const [depth, wanted] of path.entries()) {
      const event = this.#peek();
      if (event?.type === ALIAS) return ALIASED;
      if (event?.type !== MAPPING) return undefined;
      this.#enter(event);
      const block = event.style === BLOCK;
      const colon = this.#seek(wanted, block);
      if (!colon) return undefined;
      if (this.#isDuplicate(wanted, block)) return DUPLICATE;
      if (depth === path.length - 1) return this.#location(colon);
    }
    return undefined;
  }

  /** Advances to the value of a key in the current map. */
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

  /** Whether the key occurs again in the rest of the map. Does not move. */
  #isDuplicate(wanted: string, block: boolean): boolean {
    const [index, cursor] = [this.#index, this.#cursor];
    this.#skip();
    const again = this.#seek(wanted, block) !== undefined;
    [this.#index, this.#cursor] = [index, cursor];
    return again;
  }

  #location(colon: Colon): Location | typeof ALIASED {
    const event = this.#peek() as Exclude<yaml.Event, yaml.DocumentEvent | yaml.PopEvent>; // as: a key has a value
    if (event.type === ALIAS) return ALIASED;
    const afterProperties = Math.max(colon.offset, event.anchorEnd, event.tagEnd);
    const first = this.#index;
    const { start, end } = this.#skip();
    const tags = this.#events.slice(first, this.#index).map((each) => customTag(each, this.#text));
    return {
      style: styleOf(event),
      afterColon: colon.offset,
      hasColon: colon.written,
      afterProperties,
      start,
      end,
      anchor: event.anchorStart < 0 ? undefined : this.#text.slice(event.anchorStart, event.anchorEnd),
      tagged: event.tagStart >= 0,
      customTag: tags.find((tag) => tag !== undefined),
      indent: event.type === SCALAR ? Math.max(event.indent, 1) : this.#columnOf(start),
    };
  }

  /** Skips one node and its content. */
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

  /** Skips white space, comments and this character, if the character comes next. */
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

function styleOf(event: yaml.ScalarEvent | yaml.MappingEvent | yaml.SequenceEvent): Style {
  if (event.type !== SCALAR) return event.style === BLOCK ? 'block' : 'flow';
  if (event.valueStart < 0) return 'empty';
  if (event.style === PLAIN) return 'plain';
  if (event.style === SINGLE_QUOTED) return 'single';
  return event.style === DOUBLE_QUOTED ? 'double' : 'block-scalar';
}
