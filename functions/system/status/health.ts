import { ServiceError } from '../../shared/errors.ts';
import type { Lifecycle } from '../../shared/lifecycle.ts';
import type { ReadinessCheck } from '../../shared/readiness.ts';
import type { PartStates } from './health.schema.ts';

/** Longest time one check may take, in ms; whoever probes will not wait much longer. */
const CHECK_TIMEOUT_MS = 2_000;

/**
 * Asks every part at the same time.
 * @returns the state of each, when all are ready.
 * @throws ServiceError `component_unavailable`, with the same `parts` as an extension member (RFC 9457, section 3.2),
 * also while the service drains. The true reasons go to the log only, as its cause.
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
      ? 'The service is shutting down.'
      : `Not ready: ${failed.map(({ part }) => part).join(', ')}. The reasons stand in "parts".`,
    headers: { 'retry-after': '5' },
    members: { parts },
    cause: new Error(why.join('; ') || 'draining'),
  });
}

async function problemOf(check: ReadinessCheck): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, CHECK_TIMEOUT_MS, 'it did not answer in time');
  });
  try {
    return await Promise.race([check.problem(), late]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
