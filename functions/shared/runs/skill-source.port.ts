import type { JsonObject } from '../kit/json.ts';

/** A function that can be run. */
export interface RunnableFunction {
  /** File name without `.py`. */
  readonly skill: string;
  readonly name: string;
  /** The level that the decorator demands, as written; absent: USER. */
  readonly accessLevel?: string | undefined;
  readonly description?: string | undefined;
  /** The vendor's package, if its decorator is from there: its client needs a /tmp and ports of its own. */
  readonly package?: string | undefined;
  /** JSON Schema of the arguments. */
  readonly args: JsonObject;
}

/** The file of an enabled skill at one moment. */
export interface SkillSource {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly functions: readonly RunnableFunction[];
}

/** The enabled skills, read anew each time: files change. */
export interface SkillSources {
  /** Functions of all enabled files that can be run, sorted by file. */
  list(signal: AbortSignal): Promise<readonly RunnableFunction[]>;
  /** undefined when there is no enabled skill of this name. */
  read(skill: string, signal: AbortSignal): Promise<SkillSource | undefined>;
}

/** Nothing can be run: in the cloud and in a fleet. */
export const NO_SKILLS: SkillSources = { list: async () => [], read: async () => undefined };
