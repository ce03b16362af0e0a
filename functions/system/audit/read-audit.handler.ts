import { ENCHANTERS } from '../../shared/access.ts';
import { auditTrail } from '../../shared/observability/ports.ts';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { AuditPage, AuditQuery } from './audit.schema.ts';

/** GET /api/{version}/audit/: who did what, when and from where, the newest first. ENCHANTER. */
export const handler = endpoint({
  access: ENCHANTERS,
  summary: 'Read the audit trail',
  input: { query: AuditQuery },
  output: AuditPage,
  uses: { auditTrail },
}).handler(({ valid }, { auditTrail }) => auditTrail.read(valid.query));
