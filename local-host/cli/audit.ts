import { auditPaths, type Config } from '../../functions/shared/config.ts';
import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { AuditFile } from '../../functions/shared/observability/adapters/audit-trail/file.ts';
import { LASTING_SERIES } from '../../functions/shared/observability/adapters/audit-trail/trails.ts';
import { stamp } from '../../functions/shared/observability/audit-trail.port.ts';
import { createLogger } from '../../functions/shared/observability/logger.ts';

/**
 * Appends what a local CLI command did to the service's audit trail. It never rotates files; that is left to the
 * service. If the trail cannot be written, the command still stands and a warning goes to stderr.
 */
export async function recordCommand(config: Config, action: string, subject: JsonObject): Promise<void> {
  const trail = new AuditFile(auditPaths(config).lasting, createLogger('silent'), {
    ...LASTING_SERIES,
    fileBytes: Number.POSITIVE_INFINITY,
  });
  trail.append({
    ...stamp(Date.now()),
    action,
    subject,
    client_id: null,
    key_id: 'local',
    key_name: null,
    address: '',
    listener: 'command',
    outcome: 'ok',
    request_id: null,
  });
  await trail.close();
  if (trail.problem() !== undefined) process.stderr.write('Warning: could not write to the audit trail.\n');
}
