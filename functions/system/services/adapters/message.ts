/** Longer messages are truncated. */
export const MAX_MESSAGE_CHARS = 64 * 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are made of control characters
const TERMINAL_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not reach a terminal
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * Decodes a journal message: a string; an array of bytes, if it is not valid UTF-8 or contains control characters; an
 * array of those, if an entry has several; or null, if it was too long. The result is safe to print on a terminal: the
 * only control characters left are tabs and line feeds.
 */
export function messageText(value: unknown): string {
  return cap(trimLineBreaks(decode(value).replace(TERMINAL_SEQUENCE, '').replace(/\r\n?/g, '\n').replace(CONTROL, '')));
}

/**
 * Removes trailing line breaks. Not a regular expression, which would take quadratic time on a message full of them.
 */
function trimLineBreaks(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end -= 1;
  return text.slice(0, end);
}

function decode(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  if (value.every((item) => typeof item === 'number')) return Buffer.from(value).toString('utf8');
  return value.map(decode).join('\n');
}

function cap(text: string): string {
  if (text.length <= MAX_MESSAGE_CHARS) return text;
  return `${text.slice(0, MAX_MESSAGE_CHARS).replace(/[\ud800-\udbff]$/, '')}… (cut)`;
}
