import type { Config } from '../../functions/shared/config.ts';

/**
 * Whether a page comes from the service that is guarded: the same name as the guard was asked under, on one of the
 * ports of the service. It needs no setting to stop the robot.
 */
export function createOwnPageCheck({ SERVICE_PORT, SERVICE_TLS_PORT }: Config) {
  const ports = new Set([SERVICE_PORT, SERVICE_TLS_PORT].map(String));
  return (origin: string | undefined, authority: string | undefined): boolean => {
    if (origin === undefined || authority === undefined || !URL.canParse(origin)) return false;
    const { protocol, hostname, port, origin: plain } = new URL(origin);
    const portOf = port || (protocol === 'https:' ? '443' : '80');
    if (plain !== origin || !ports.has(portOf)) return false;
    return hostname === authority.toLowerCase().replace(/:\d+$/, '');
  };
}
