import { ServiceError } from '../../shared/errors.ts';
import { within } from '../../shared/kit/within.ts';
import type { PartStates } from './health.schema.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { ReadinessCheck } from './readiness.ts';

/** Per check; probes do not wait much longer. */
const CHECK_TIMEOUT_MS = 2_000;

/**
 * Runs all checks concurrently.
 * @returns the state of each part if all are ready.
 * @throws ServiceError `component_unavailable` otherwise and while draining, with the same `parts` as an extension
 * member (RFC 9457, section 3.2). The actual reasons only go to the log, as its cause.
 */
export async function readinessOf(checks: readonly ReadinessCheck[], { draining }: Lifecycle) {
  const problems = await Promise.all(checks.map((check) => problemOf(check)));
  const notes = await Promise.all(checks.map((check) => check.notes?.().catch(() => []) ?? []));
  const parts: PartStates = Object.fromEntries(
    checks.map(({ part, reason }, index) => [
      part,
      problems[index] === undefined
        ? { ok: true as const, ...(notes[index]?.length ? { notes: [...notes[index]] } : {}) }
        : { ok: false as const, reason },
    ]),
  );
  const failed = checks.filter((_check, index) => problems[index] !== undefined);
  if (failed.length === 0 && !draining) return { status: 'ready' as const, parts };
  const why = failed.map(({ part }) => `${part}: ${problems[checks.findIndex((check) => check.part === part)]}`);
  throw new ServiceError('component_unavailable', {
    detail: draining
      ? 'The service is shutting down; try again in a moment.'
      : `Not ready: ${failed.map(({ part }) => part).join(', ')}. See "parts" for the reasons.`,
    headers: { 'retry-after': '5' },
    members: { parts },
    cause: new Error(why.join('; ') || 'draining'),
  });
}

async function problemOf(check: ReadinessCheck): Promise<string | undefined> {
  try {
    return await within(check.problem(), CHECK_TIMEOUT_MS, () => 'the check timed out');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
