import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { ServiceError } from '../../functions/shared/errors.ts';

/** Names that never resolve to a public server: RFC 6761, RFC 6762 (`.local`), RFC 8375 (`home.arpa`). */
const LOCAL_NAME = /^(localhost|[a-z0-9.-]+\.(localhost|local|lan|home\.arpa))$/;
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/;

/**
 * Guards against DNS rebinding: a web page whose name is rebound to the robot's address still sends its own name as
 * Host.
 * @returns a check that throws ServiceError `host_not_allowed` or `bad_request`.
 */
export function createHostCheck(allowed: readonly string[]): (authority: string | undefined) => void {
  if (allowed.includes('*')) return () => undefined;
  const own = hostname().toLowerCase();
  const names = new Set([own, own.split('.')[0] ?? own, ...allowed.map((name) => name.toLowerCase())]);
  const accepted = new Set<string>();

  return (authority) => {
    if (authority !== undefined && accepted.has(authority)) return;
    const host = AUTHORITY.exec((authority ?? '').toLowerCase())?.[1];
    if (host === undefined)
      throw new ServiceError('bad_request', { detail: 'The request must have exactly one valid Host header.' });
    const name = host.startsWith('[') ? host.slice(1, -1) : host.replace(/\.$/, '');
    if (isIP(name) === 0 && !LOCAL_NAME.test(name) && !names.has(name)) {
      throw new ServiceError('host_not_allowed', {
        detail:
          'The Host header is not a known name of this service. Add the name to SERVICE_ALLOWED_HOSTS if it is one.',
      });
    }
    if (authority !== undefined && accepted.size < 64) accepted.add(authority);
  };
}
