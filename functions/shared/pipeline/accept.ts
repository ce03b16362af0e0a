export interface MediaRange {
  /** Lower case, `text/*` for instance. */
  readonly type: string;
  readonly weight: number;
}

/**
 * The media ranges of an Accept header, in its order (RFC 9110, section 12.5.1).
 * @param malformed the weight of a range whose weight is not a number from 0 to 1.
 */
export function mediaRanges(accept = '', malformed = 0): MediaRange[] {
  return accept
    .toLowerCase()
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q=')) ?? 'q=1';
      return { type, weight: Number(/^q=(1(?:\.0{0,3})?|0(?:\.\d{0,3})?)$/.exec(quality)?.[1] ?? malformed) };
    });
}
