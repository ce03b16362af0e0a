import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Config } from '../../../../shared/config.ts';
import { BoundedMap } from '../../../../shared/kit/bounded-map.ts';
import { Json } from '../../../../shared/kit/json.schema.ts';
import { Semaphore } from '../../../../shared/kit/semaphore.ts';
import type { Logger } from '../../../../shared/observability/logger.ts';
import type { PythonParser, Verdict } from '../../python-parser.port.ts';
import { type Run, runCheck } from './interpreter.ts';

/** Concurrent interpreter processes. */
const MAX_CONCURRENT = 2;
/** Cached verdicts; the least recently used are evicted first. */
const MAX_CACHED = 500;

const lineOrColumn = z.int().min(1).optional().catch(undefined);
const Answer = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('valid'),
    functions: z.array(
      z.object({
        name: z.string(),
        access_level: z.string().exactOptional(),
        package: z.string().exactOptional(),
        description: z.string().exactOptional(),
        args: z.record(z.string(), Json).exactOptional(),
      }),
    ),
  }),
  z.object({ kind: z.literal('invalid'), message: z.string(), line: lineOrColumn, column: lineOrColumn }),
]);

const LIMIT_EXCEEDED = {
  kind: 'invalid',
  message: 'it could not be parsed within 5 s and 1 GiB of memory',
} as const satisfies Verdict;

/** Parses with the interpreter that runs the skills (SERVICE_SKILL_PYTHON), in a child process per new source. */
export function openPythonParser(config: Config, logger: Logger): PythonParser {
  const cache = new BoundedMap<string, Verdict>(MAX_CACHED);
  const interpreters = new Semaphore(MAX_CONCURRENT);
  let missingLogged = false; // logged once, not for each skill

  async function parse(source: Buffer, signal: AbortSignal): Promise<Verdict> {
    const key = createHash('sha256').update(source).digest('base64');
    const known = cache.get(key);
    if (known) {
      cache.delete(key);
      cache.set(key, known);
      return known;
    }
    const verdict = await interpreters.run(() => runCheck(config, source, signal).then(read), { signal });
    // Without an interpreter or over a limit, the next attempt may have a different result.
    if (verdict.kind === 'valid' || (verdict.kind === 'invalid' && verdict !== LIMIT_EXCEEDED)) cache.set(key, verdict);
    return verdict;
  }

  function read(run: Run): Verdict {
    if (run.end === 'not started' || !run.output.startsWith('READY\n')) {
      const cause = run.end === 'not started' ? run.cause : undefined;
      if (!missingLogged)
        logger.warn({ err: cause, setting: 'SERVICE_SKILL_PYTHON' }, 'no Python interpreter; skills are not validated');
      missingLogged = true;
      return { kind: 'unknown' };
    }
    missingLogged = false;
    return readAnswer(run.output.slice('READY\n'.length));
  }

  return { parse };
}

/** Parses the result of the check. A missing or malformed result means that the source crashed the interpreter. */
function readAnswer(text: string): Verdict {
  try {
    const answer = Answer.parse(JSON.parse(text));
    if (answer.kind === 'valid') return answer;
    const { message, line, column } = answer;
    return { kind: 'invalid', message, ...(line && { line }), ...(line && column && { column }) };
  } catch {
    return LIMIT_EXCEEDED;
  }
}
