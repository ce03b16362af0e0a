import { isUtf8 } from 'node:buffer';

/** The text before the first byte that is not UTF-8; undefined when all bytes are. */
export function textBeforeFault(bytes: Buffer): string | undefined {
  if (isUtf8(bytes)) return undefined;
  let text = '';
  let [good, bad] = [0, bytes.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const decoded = decodedStart(bytes.subarray(0, middle));
    if (decoded === undefined) bad = middle;
    else [good, text] = [middle, decoded];
  }
  return text;
}

/** The text of bytes that may end within a character, which is left out; undefined when they are not UTF-8. */
function decodedStart(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}
