import { AuditFile } from '../../functions/shared/adapters/audit-trail/file.ts';
import { stamp } from '../../functions/shared/adapters/audit-trail/port.ts';
import { LASTING_SERIES } from '../../functions/shared/adapters/audit-trail/trails.ts';
import { auditPaths, type Config } from '../../functions/shared/config.ts';
import type { JsonObject } from '../../functions/shared/json.ts';
import { createLogger } from '../../functions/shared/logger.ts';

/**
 * Keeps what a command on the machine itself has done in the service's audit trail. It only adds: setting full files
 * aside is the service's work. A trail that cannot be written does not undo the command; it is said on stderr.
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
  if (trail.problem() !== undefined) process.stderr.write('This could not be kept in the audit trail.\n');
}
