/**
 * Whether an Accept header (RFC 9110, section 12.5.1) wants plain text rather than JSON: JSON unless text is named and
 * weighs more, or as much and stands before it.
 */
export function prefersText(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = accept.split(',').map(parseRange);
  const weightOf = (...names: string[]) => ranges.find(({ name }) => names.includes(name));
  const text = weightOf('text/plain', 'text/*');
  const json = weightOf('application/json', 'application/*');
  if (!text || text.weight === 0) return false;
  if (!json) return true;
  return text.weight > json.weight || (text.weight === json.weight && ranges.indexOf(text) < ranges.indexOf(json));
}

function parseRange(range: string): { name: string; weight: number } {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { name, weight: weight >= 0 && weight <= 1 ? weight : 1 };
}
