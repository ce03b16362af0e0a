import { createHash } from 'node:crypto';
import { ServiceError } from '../../shared/errors.ts';
import type { PythonParser, Verdict } from './python-parser.port.ts';
import type { Skill } from './skill.schema.ts';
import type { FolderEntry, SkillFile } from './skill-files.port.ts';
import { fileNameOf } from './skill-name.ts';
import { encodingProblem } from './source-text.ts';

/** Lower-case hex SHA-256. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Parses a source without running it. */
export async function examine(bytes: Buffer, python: PythonParser, signal: AbortSignal): Promise<Verdict> {
  const problem = encodingProblem(bytes);
  return problem ? { kind: 'invalid', ...problem } : python.parse(bytes, signal);
}

/** @throws ServiceError `invalid_python` with line and column. */
export function assertValidPython(verdict: Verdict, fileName: string): void {
  if (verdict.kind !== 'invalid') return;
  const reason = reasonOf(verdict);
  throw new ServiceError('invalid_python', {
    detail: `${fileName} is not valid Python: ${reason}.`,
    errors: [{ pointer: '/skill', message: reason }],
  });
}

/** A skill as it appears in responses. */
export function describe(stem: string, enabled: boolean, file: SkillFile, verdict: Verdict): Skill {
  return {
    name: fileNameOf(stem, true),
    enabled,
    size: file.bytes.length,
    modified_at: new Date(file.modifiedAt).toISOString(),
    sha256: sha256(file.bytes),
    functions: verdict.kind === 'valid' ? [...verdict.functions] : [],
    ...(verdict.kind === 'unknown' && { validated: false as const }),
    ...(verdict.kind === 'invalid' && { problem: reasonOf(verdict) }),
  };
}

/** A folder entry that is not a skill, as it appears in the list. */
export function describeForeign(entry: FolderEntry): Skill {
  return {
    name: entry.name,
    enabled: false,
    size: entry.size,
    modified_at: new Date(entry.modifiedAt).toISOString(),
    sha256: null,
    functions: [],
    manageable: false,
    problem: entry.irregular ?? 'Not a valid skill name.',
  };
}

function reasonOf({ message, line, column }: Verdict & { kind: 'invalid' }): string {
  if (line === undefined) return message;
  return `line ${line}, ${column === undefined ? '' : `column ${column}: `}${message}`;
}
