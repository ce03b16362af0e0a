/** Counted from 1, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Line and column of an offset. */
export function positionOf(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
