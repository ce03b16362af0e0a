/** Longest message that is passed on, in characters. */
export const MAX_MESSAGE = 64 * 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are made of control characters
const TERMINAL_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not reach a terminal
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * A message of the journal in any of its forms: a string; an array of bytes, when it is no UTF-8 or holds control
 * characters; an array of those, when an entry has several; null, when it was too long. The result is safe to show on a
 * terminal: tabs and line feeds are the only control characters left.
 */
export function messageText(value: unknown): string {
  return cap(
    withoutLastBreaks(decode(value).replace(TERMINAL_SEQUENCE, '').replace(/\r\n?/g, '\n').replace(CONTROL, '')),
  );
}

/** Without the line ends behind it, counted from the end: a message of nothing else costs no more than its length. */
function withoutLastBreaks(text: string): string {
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
  if (text.length <= MAX_MESSAGE) return text;
  return `${text.slice(0, MAX_MESSAGE).replace(/[\ud800-\udbff]$/, '')}… (cut)`;
}
