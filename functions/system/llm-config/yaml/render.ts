import * as yaml from 'js-yaml';
import type { ConfigValue } from './config-value.ts';
import type { Location } from './locate.ts';

/** Replaces `text.slice(start, end)`. */
interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const [integers, fractions] = ['int', 'float'].map((name) =>
  yaml.DUMP_SCHEMA.tags.find(({ tagName }) => tagName === `tag:yaml.org,2002:${name}`),
) as [yaml.ScalarTagDefinition<number>, yaml.ScalarTagDefinition<number>]; // as: every schema for numbers has both

/**
 * Output that YAML 1.1 and 1.2 parsers read the same; whole doubles beyond 2^53 get a point and an exponent to stay
 * doubles.
 */
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

/** YAML 1.1 parsers end a plain scalar in a flow collection at `?` or `:`, and give `=` a special meaning. */
function quoteForYaml11(layout: yaml.ScalarLayout): void {
  const { value } = layout.node;
  if (value === '=' || (layout.flowOnly && /[?:]/.test(value)))
    layout.allowedStylesMask &= ~(1 << yaml.SCALAR_STYLE.PLAIN);
}

const DUMP_OPTIONS = {
  schema: SCHEMA,
  lineWidth: -1,
  noRefs: true,
  scalarStyleRules: [quoteForYaml11, ...Object.values(yaml.DEFAULT_SCALAR_STYLE_RULES)],
} as const;

/**
 * Whether a literal block can represent the text: printable, without surrounding white space except one final line
 * break.
 */
function fitsLiteral(value: string): boolean {
  return /^[^\s].*[^\s]\n?$|^[^\s]\n?$/s.test(value) && !/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/u.test(value);
}

/**
 * Ways to write the new value, best first: in the style of the old one, on one line, as JSON. Some do not work in every
 * location, so the caller must parse the result to verify it.
 */
export function* renderings(source: string, location: Location, value: ConfigValue): Generator<Splice> {
  if (!location.tagged) {
    const block = blockText(source, location, value);
    if (block !== undefined) yield { start: location.start, end: location.end, text: block };
  }
  for (const text of oneLiners(location, value))
    yield location.style === 'block' || location.style === 'empty'
      ? afterKey(source, location, text)
      : inLocation(source, location, text);
}

/** A block, if the old value is one. */
function blockText(source: string, location: Location, value: ConfigValue): string | undefined {
  const lineBreak = source.includes('\r\n') ? '\r\n' : '\n';
  if (location.style === 'block-scalar' && typeof value === 'string' && fitsLiteral(value)) {
    const [chomping, body] = value.endsWith('\n') ? ['', value.slice(0, -1)] : ['-', value];
    const lines = body.split('\n').map((line) => (line === '' ? '' : ' '.repeat(location.indent) + line));
    const header = `|${chomping}${commentOf(source.slice(location.start, location.end))}`;
    const close = location.end === source.length && chomping === '' ? lineBreak : '';
    return [header, ...lines].join(lineBreak) + close;
  }
  const isNonEmpty = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (location.style !== 'block' || !isNonEmpty) return undefined;
  const lines = yaml.dump(value, DUMP_OPTIONS).replace(/\n$/, '').split('\n');
  return lines
    .map((line, index) => (index === 0 || line === '' ? line : ' '.repeat(location.indent) + line))
    .join(lineBreak);
}

function oneLiners({ style }: Location, value: ConfigValue): Set<string> {
  const options = { ...DUMP_OPTIONS, flowLevel: 0 } as const;
  const quoted = { ...options, quoteStyle: style === 'single' ? 'single' : 'double', forceQuotes: true } as const;
  const keepsQuotes = typeof value === 'string' && (style === 'single' || style === 'double');
  const likeBefore = yaml.dump(value, keepsQuotes ? quoted : options).replace(/\n$/, '');
  const betweenCommas = yaml.dump([value], options).slice(1, -2);
  return new Set([likeBefore, betweenCommas, JSON.stringify(value)].filter((text) => !text.includes('\n')));
}

/** Replaces the old value. Its tag is dropped, since it described the old value; an anchor and a comment stay. */
function inLocation(source: string, location: Location, text: string): Splice {
  const start = location.tagged ? propertiesStart(source, location) : location.start;
  const anchor = location.tagged && location.anchor !== undefined ? `&${location.anchor} ` : '';
  const comment = location.style === 'block-scalar' ? commentOf(source.slice(location.start, location.end)) : '';
  return { start, end: location.end, text: anchor + text + comment };
}

/** Writes the value on the line of the key, for an empty or block value. Comments between key and block stay. */
function afterKey(source: string, location: Location, text: string): Splice {
  const start = location.tagged ? propertiesStart(source, location) : location.afterProperties;
  const anchor = location.tagged && location.anchor !== undefined ? `&${location.anchor} ` : '';
  const between = source.slice(location.afterProperties, location.start).trimEnd();
  const lead = location.hasColon ? '' : ':';
  const space = /\s/.test(source.charAt(start - 1)) ? '' : ' ';
  return { start, end: location.end, text: lead + space + anchor + text + between };
}

/** The offset of the anchor or tag. */
function propertiesStart(source: string, { afterColon }: Location): number {
  return afterColon + source.slice(afterColon).search(/[!&]/);
}

/** The comment after the indicator of a block scalar. */
function commentOf(block: string): string {
  return /^[|>][-+0-9]*([ \t]+#[^\r\n]*)/.exec(block)?.[1] ?? '';
}
