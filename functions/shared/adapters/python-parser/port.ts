/** A function under a `@skill` decorator, as far as parsing alone can tell. */
export interface SkillFunction {
  readonly name: string;
  /** As the decorator names it: `USER` for `access_level="USER"` and for `access_level=AccessLevel.USER`. */
  readonly access_level?: string;
  /** The decorator's `description`, else the docstring. */
  readonly description?: string;
}

/**
 * What the parser says of a source. Lines and columns count from 1; they are absent when the source is refused as a
 * whole, because it is too deep or too large to be parsed in the time and memory it is given.
 */
export type Verdict =
  | { readonly kind: 'valid'; readonly functions: readonly SkillFunction[] }
  | { readonly kind: 'invalid'; readonly message: string; readonly line?: number; readonly column?: number }
  /** There is no interpreter that could say. */
  | { readonly kind: 'unknown' };

/** Reads Python sources without ever running them. */
export interface PythonParser {
  /** The verdict on a source, within 5 s of the start of the parsing. Rejects only with the reason of the signal. */
  parse(source: Buffer, signal: AbortSignal): Promise<Verdict>;
}
