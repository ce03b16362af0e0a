/** A fault of a source, with line and column counted from 1, the column in characters. */
export interface TextFault {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** What no Python source may be, whatever the interpreter: bytes that are no UTF-8, or a NUL character. */
export function textFault(bytes: Buffer): TextFault | undefined {
  const badByte = firstBadByte(bytes);
  if (badByte !== undefined) return at(bytes, badByte, 'the bytes here are not UTF-8');
  const nul = bytes.indexOf(0);
  return nul === -1 ? undefined : at(bytes, nul, 'a NUL character stands here');
}

/** Offset of the character that breaks the encoding: the longest beginning that could still become UTF-8 ends there. */
function firstBadByte(bytes: Buffer): number | undefined {
  if (decodes(bytes, false)) return undefined;
  let good = 0;
  for (let bad = bytes.length + 1; bad - good > 1; ) {
    const middle = (good + bad) >> 1;
    if (decodes(bytes.subarray(0, middle), true)) good = middle;
    else bad = middle;
  }
  return good;
}

function decodes(bytes: Buffer, mayGoOn: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: mayGoOn });
    return true;
  } catch {
    return false;
  }
}

function at(bytes: Buffer, offset: number, message: string): TextFault {
  // As a stream, so that the beginning of a character that is never completed counts for nothing.
  const before = new TextDecoder().decode(bytes.subarray(0, offset), { stream: true });
  const lineStart = before.lastIndexOf('\n') + 1;
  return { message, line: before.split('\n').length, column: [...before.slice(lineStart)].length + 1 };
}
