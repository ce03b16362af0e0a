import type { PythonParser } from './python-parser.port.ts';
import type { SkillFiles } from './skill-files.port.ts';

/** What operations on skills depend on. */
export interface SkillParts {
  readonly files: SkillFiles;
  readonly python: PythonParser;
  /** Aborts when the client hangs up; a change that has started is completed anyway. */
  readonly signal: AbortSignal;
}
