import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Config } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { Turnstile } from '../../turnstile.ts';
import { type Run, runCheck } from './interpreter.ts';
import type { PythonParser, Verdict } from './port.ts';

/** Interpreters at work at the same time. */
const MOST_AT_ONCE = 2;
/** Verdicts remembered, the least recently asked for forgotten first. */
const MOST_REMEMBERED = 500;

const place = z.int().min(1).optional().catch(undefined);
const Answer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('valid'),
    functions: z.array(
      z.object({
        name: z.string(),
        access_level: z.string().exactOptional(),
        description: z.string().exactOptional(),
      }),
    ),
  }),
  z.object({ kind: z.literal('invalid'), message: z.string(), line: place, column: place }),
]);

const NO_VERDICT = {
  kind: 'invalid',
  message: 'it could not be parsed in 5 s and 1 GiB of memory',
} as const satisfies Verdict;

/** Parses with the interpreter that runs the skills (SERVICE_SKILL_PYTHON), in a child process for each new content. */
export function openPythonParser(config: Config, logger: Logger): PythonParser {
  const remembered = new Map<string, Verdict>();
  const turnstile = new Turnstile(MOST_AT_ONCE);
  let told = false; // the log says it once, not for each skill

  async function parse(source: Buffer, signal: AbortSignal): Promise<Verdict> {
    const key = createHash('sha256').update(source).digest('base64');
    const known = remembered.get(key);
    if (known) {
      remembered.delete(key);
      remembered.set(key, known);
      return known;
    }
    const verdict = await turnstile.pass(() => runCheck(config, source, signal).then(read), signal);
    // Without an interpreter, or out of time, the next attempt may end otherwise.
    if (verdict.kind === 'valid' || (verdict.kind === 'invalid' && verdict !== NO_VERDICT)) remember(key, verdict);
    return verdict;
  }

  function remember(key: string, verdict: Verdict): void {
    remembered.set(key, verdict);
    const [oldest] = remembered.keys();
    if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  }

  function read(run: Run): Verdict {
    if (run.end === 'not started' || !run.output.startsWith('READY\n')) {
      const cause = run.end === 'not started' ? run.cause : undefined;
      if (!told)
        logger.warn({ err: cause, setting: 'SERVICE_SKILL_PYTHON' }, 'no interpreter: skills are not validated');
      told = true;
      return { kind: 'unknown' };
    }
    told = false;
    return readAnswer(run.output.slice('READY\n'.length));
  }

  return { parse };
}

/** What the check said. No answer, or none that can be read, means that the source brought the interpreter down. */
function readAnswer(text: string): Verdict {
  try {
    const answer = Answer.parse(JSON.parse(text));
    if (answer.kind === 'valid') return answer;
    const { message, line, column } = answer;
    return { kind: 'invalid', message, ...(line && { line }), ...(line && column && { column }) };
  } catch {
    return NO_VERDICT;
  }
}
