import type { AccessLevel } from '../access.ts';
import { ServiceError } from '../errors.ts';
import type { PipelineRequest } from './exchange.ts';

/** Refuses callers whose level is not among the endpoint's. Error: insufficient_access, naming the levels that do. */
export function requireAccess({ context: { exchange } }: PipelineRequest): void {
  const access = exchange.spec.access as readonly AccessLevel[]; // as: endpoints that any token opens are without this step
  const level = exchange.caller?.accessLevel;
  if (level !== undefined && access.includes(level)) return;
  throw new ServiceError('insufficient_access', {
    detail: `This needs access level ${access.join(' or ')}; the token has ${level ?? 'none'}.`,
  });
}
