import type { JsonValue } from '../../../kit/json.ts';
import type { AuditEntry } from '../../audit-trail.port.ts';
import { isSecretName, withoutSaidSecrets } from '../../mask-text.ts';

const MASK = '***';

/** Commands take what the robot takes, a Wi-Fi password for instance: it is never kept. */
export function withoutSecrets(subject: AuditEntry['subject']): AuditEntry['subject'] {
  const { command, value } = subject;
  const masked = masking(subject) as AuditEntry['subject']; // as: an object stays one
  return value !== undefined && typeof command === 'string' && isSecretName(command)
    ? { ...masked, value: MASK }
    : masked;
}

function masking(value: JsonValue | AuditEntry['subject']): JsonValue {
  if (typeof value === 'string') return withoutSaidSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(masking);
  const members = Object.entries(value);
  const namesSecret = members.some(
    ([key, name]) => /^(?:name|key|param|parameter)$/.test(key) && isSecretName(String(name)),
  );
  return Object.fromEntries(
    members.map(([name, member]) => {
      const isSecret = isSecretName(name) || (namesSecret && name === 'value');
      return [name, isSecret ? MASK : masking(member)];
    }),
  );
}
