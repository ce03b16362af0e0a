import * as yaml from 'js-yaml';
import type { ConfigValue } from './config-value.ts';
import type { Place } from './locate.ts';

/** Text to be put in place of `text.slice(start, end)`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const [integers, fractions] = ['int', 'float'].map((name) =>
  yaml.DUMP_SCHEMA.tags.find(({ tagName }) => tagName === `tag:yaml.org,2002:${name}`),
) as [yaml.ScalarTagDefinition<number>, yaml.ScalarTagDefinition<number>]; // as: every schema for numbers has both

/** Writes for readers of YAML 1.1 and 1.2 alike; whole doubles beyond 2^53 with a point and an exponent, as doubles. */
const SCHEMA = yaml.DUMP_SCHEMA.withTags(
  { ...integers, identify: (value) => Number.isSafeInteger(value) && !Object.is(value, -0) },
  {
    ...fractions,
    identify: (value) => typeof value === 'number' && (!Number.isSafeInteger(value) || Object.is(value, -0)),
    represent: (value: number) =>
      Number.isInteger(value) && !Object.is(value, -0)
        ? value.toExponential().replace(/^(-?\d+)e/, '$1.0e')
        : fractions.represent(value),
  },
);

/** Readers of YAML 1.1 end plain text in brackets at a question mark or colon, and take `=` for something of its own. */
function quoteForYaml11(layout: yaml.ScalarLayout): void {
  const { value } = layout.node;
  if (value === '=' || (layout.flowOnly && /[?:]/.test(value)))
    layout.allowedStylesMask &= ~(1 << yaml.SCALAR_STYLE.PLAIN);
}

const DUMPING = {
  schema: SCHEMA,
  lineWidth: -1,
  noRefs: true,
  scalarStyleRules: [quoteForYaml11, ...Object.values(yaml.DEFAULT_SCALAR_STYLE_RULES)],
} as const;

/** What a literal block can hold: text to see, that neither begins nor ends with blanks save one last line break. */
function fitsLiteral(value: string): boolean {
  return /^[^\s].*[^\s]\n?$|^[^\s]\n?$/s.test(value) && !/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/u.test(value);
}

/**
 * Ways to write a value where another one stands, best first: in the manner of the old one, on one line, as JSON. Who
 * uses one parses the result again; some cannot work at some places.
 */
export function* renderings(source: string, place: Place, value: ConfigValue): Generator<Splice> {
  if (!place.tagged) {
    const block = blockText(source, place, value);
    if (block !== undefined) yield { start: place.start, end: place.end, text: block };
  }
  for (const text of oneLiners(place, value))
    yield place.style === 'block' || place.style === 'empty'
      ? behindKey(source, place, text)
      : inPlace(source, place, text);
}

/** As a block of its own when a block stands there. */
function blockText(source: string, place: Place, value: ConfigValue): string | undefined {
  const lineBreak = source.includes('\r\n') ? '\r\n' : '\n';
  if (place.style === 'block-scalar' && typeof value === 'string' && fitsLiteral(value)) {
    const [chomping, body] = value.endsWith('\n') ? ['', value.slice(0, -1)] : ['-', value];
    const lines = body.split('\n').map((line) => (line === '' ? '' : ' '.repeat(place.indent) + line));
    const header = `|${chomping}${commentOf(source.slice(place.start, place.end))}`;
    const close = place.end === source.length && chomping === '' ? lineBreak : '';
    return [header, ...lines].join(lineBreak) + close;
  }
  const holdsSome = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (place.style !== 'block' || !holdsSome) return undefined;
  const lines = yaml.dump(value, DUMPING).replace(/\n$/, '').split('\n');
  return lines
    .map((line, index) => (index === 0 || line === '' ? line : ' '.repeat(place.indent) + line))
    .join(lineBreak);
}

function oneLiners({ style }: Place, value: ConfigValue): Set<string> {
  const options = { ...DUMPING, flowLevel: 0 } as const;
  const quoted = { ...options, quoteStyle: style === 'single' ? 'single' : 'double', forceQuotes: true } as const;
  const keepsQuotes = typeof value === 'string' && (style === 'single' || style === 'double');
  const likeBefore = yaml.dump(value, keepsQuotes ? quoted : options).replace(/\n$/, '');
  const betweenCommas = yaml.dump([value], options).slice(1, -2);
  return new Set([likeBefore, betweenCommas, JSON.stringify(value)].filter((text) => !text.includes('\n')));
}

/** In place of the old value. A tag goes, since it said what the old one is; an anchor and a comment stay. */
function inPlace(source: string, place: Place, text: string): Splice {
  const start = place.tagged ? propertiesStart(source, place) : place.start;
  const anchor = place.tagged && place.anchor !== undefined ? `&${place.anchor} ` : '';
  const comment = place.style === 'block-scalar' ? commentOf(source.slice(place.start, place.end)) : '';
  return { start, end: place.end, text: anchor + text + comment };
}

/** On the line of the key, where nothing or a block stands. Comments between the key and the block stay. */
function behindKey(source: string, place: Place, text: string): Splice {
  const start = place.tagged ? propertiesStart(source, place) : place.afterProperties;
  const anchor = place.tagged && place.anchor !== undefined ? `&${place.anchor} ` : '';
  const between = source.slice(place.afterProperties, place.start).trimEnd();
  const lead = place.hasColon ? '' : ':';
  const space = /\s/.test(source.charAt(start - 1)) ? '' : ' ';
  return { start, end: place.end, text: lead + space + anchor + text + between };
}

/** Where the anchor or tag begins. */
function propertiesStart(source: string, { afterColon }: Place): number {
  return afterColon + source.slice(afterColon).search(/[!&]/);
}

/** The comment behind the indicator of a block scalar. */
function commentOf(block: string): string {
  return /^[|>][-+0-9]*([ \t]+#[^\r\n]*)/.exec(block)?.[1] ?? '';
}
