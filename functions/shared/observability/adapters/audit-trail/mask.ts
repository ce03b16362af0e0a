import type { JsonValue } from '../../../kit/json.ts';
import type { AuditEntry } from '../../audit-trail.port.ts';

/** Names of members that hold a secret, whatever command or robot they belong to. */
const SECRET = /pass|psk|secret|token|credential|api_?key|authorization/i;
/** A secret said inside a text: `psk=…`, `"password": "…"`. */
const SAID =
  /(pass(?:word|phrase|wd)?|psk|secret|token|credential|api[_-]?key)(["']?\s{0,8}[:=]\s{0,8}["']?)[^,;&}"'\n]*/gi;
const MASK = '***';

/** Commands take what the robot takes, a Wi-Fi password for instance: it is never kept. */
export function withoutSecrets(subject: AuditEntry['subject']): AuditEntry['subject'] {
  const { command, value } = subject;
  const masked = masking(subject) as AuditEntry['subject']; // as: an object stays one
  return value !== undefined && typeof command === 'string' && SECRET.test(command)
    ? { ...masked, value: MASK }
    : masked;
}

function masking(value: JsonValue | AuditEntry['subject']): JsonValue {
  if (typeof value === 'string') return value.replace(SAID, `$1$2${MASK}`);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(masking);
  const members = Object.entries(value);
  const namesSecret = members.some(
    ([key, name]) => /^(?:name|key|param|parameter)$/.test(key) && SECRET.test(String(name)),
  );
  return Object.fromEntries(
    members.map(([name, member]) => {
      const isSecret = SECRET.test(name) || (namesSecret && name === 'value');
      return [name, isSecret ? MASK : masking(member)];
    }),
  );
}
