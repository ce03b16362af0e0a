import type { ServiceError } from '../errors.ts';
import { type MediaRange, mediaRanges } from './accept.ts';
import { invalid } from './parse-input.ts';

/** How logs are sent: one JSON document, lines of text, or server-sent events. */
export type LogForm = 'json' | 'text' | 'events';

/**
 * The form that the query and the Accept header (RFC 9110, section 12.5.1) ask for. Text only if it is listed with a
 * higher weight than JSON, or first with the same weight.
 * @throws ServiceError `validation_failed` when the two contradict each other: neither an endless stream for who expects
 * a document, nor the reverse.
 */
export function logForm(accept: string | undefined, follow: boolean): LogForm {
  const ranges = mediaRanges(accept, 1).filter(({ type }) => type !== '');
  const takes = (...types: string[]) => ranges.length === 0 || weightOf(ranges, types) > 0;
  const takesEvents = takes('text/event-stream', 'text/*', '*/*');
  if (follow) {
    if (takesEvents) return 'events';
    throw contradiction('With follow=true the answer is text/event-stream, which this Accept header does not take.');
  }
  if (weightOf(ranges, ['text/event-stream']) > 0 && !takes('application/json', 'application/*', 'text/plain', '*/*')) {
    throw contradiction('text/event-stream is only sent with follow=true; add it to the query.');
  }
  return prefersText(ranges) ? 'text' : 'json';
}

function prefersText(ranges: readonly MediaRange[]): boolean {
  const rangeOf = (...types: string[]) => ranges.find(({ type }) => types.includes(type));
  const text = rangeOf('text/plain', 'text/*');
  const json = rangeOf('application/json', 'application/*');
  if (!text || text.weight === 0) return false;
  if (!json) return true;
  return text.weight > json.weight || (text.weight === json.weight && ranges.indexOf(text) < ranges.indexOf(json));
}

/** The weight of the most specific of these media ranges that is listed; 0 when none is. `types`: most specific first. */
function weightOf(ranges: readonly MediaRange[], types: readonly string[]): number {
  for (const wanted of types) {
    const range = ranges.find(({ type }) => type === wanted);
    if (range) return range.weight;
  }
  return 0;
}

function contradiction(message: string): ServiceError {
  return invalid([{ pointer: 'header:accept', message }]);
}
