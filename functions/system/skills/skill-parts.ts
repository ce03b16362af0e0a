import type { PythonParser } from '../../shared/adapters/python-parser/port.ts';
import type { SkillFiles } from '../../shared/adapters/skill-files/port.ts';

/** What work on skills needs. */
export interface SkillParts {
  readonly files: SkillFiles;
  readonly python: PythonParser;
  /** Aborts when nobody waits for the answer any more; a change that has begun is finished all the same. */
  readonly signal: AbortSignal;
}
