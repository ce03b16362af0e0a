import type { JsonObject } from '../../shared/kit/json.ts';

/** A function with a `@skill` decorator, as far as parsing can tell. */
export interface SkillFunction {
  readonly name: string;
  /** From the decorator: `USER` for `access_level="USER"` and for `access_level=AccessLevel.USER`. */
  readonly access_level?: string;
  /** The decorator's `description`, or the docstring. */
  readonly description?: string;
  /** The vendor's package, if its decorator is from there. */
  readonly package?: string;
  /** JSON Schema of its arguments; absent for one that is not at the top level of the file and cannot be run. */
  readonly args?: JsonObject;
}

/**
 * The result of parsing a source. Lines and columns count from 1; they are absent if the whole source is rejected
 * because it is nested too deeply or exceeds the time or memory limit.
 */
export type Verdict =
  | { readonly kind: 'valid'; readonly functions: readonly SkillFunction[] }
  | { readonly kind: 'invalid'; readonly message: string; readonly line?: number; readonly column?: number }
  /** There is no interpreter. */
  | { readonly kind: 'unknown' };

/** Parses Python sources without running them. */
export interface PythonParser {
  /** Takes at most 5 s once parsing has started. Rejects only with the reason of the signal. */
  parse(source: Buffer, signal: AbortSignal): Promise<Verdict>;
}
