/**
 * Whether a page comes from the service whose stop is served elsewhere: the same name as stop was asked under, on one of
 * the ports of the service, which may become more; on any port if one of them is 0, a free one that is not known here. It
 * needs no setting to stop the robot.
 */
export function createOwnPageCheck(servicePorts: readonly number[]) {
  return (origin: string | undefined, authority: string | undefined): boolean => {
    if (origin === undefined || authority === undefined || !URL.canParse(origin)) return false;
    const { protocol, hostname, port, origin: plain } = new URL(origin);
    const portOf = Number(port || (protocol === 'https:' ? 443 : 80));
    if (plain !== origin || !(servicePorts.includes(portOf) || servicePorts.includes(0))) return false;
    return hostname === authority.toLowerCase().replace(/:\d+$/, '');
  };
}
