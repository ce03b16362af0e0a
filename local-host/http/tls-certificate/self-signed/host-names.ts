import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

/** Names and addresses under which clients reach this machine. */
export interface HostNames {
  /** Lower case; the first one is that of the machine. */
  readonly dns: readonly string[];
  /** IPv4 and IPv6. */
  readonly addresses: readonly string[];
}

/** What RFC 5280 lets into a dNSName: letters of ASCII alone. */
const DNS_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*$/;
const LINK_LOCAL = /^(fe[89ab]|169\.254\.)/i;
/** The flag IFA_F_TEMPORARY of if_addr.h. */
const TEMPORARY = 0x01;

/**
 * The names and addresses that this machine has now: its host name, the same with `.local` (mDNS), further ones of the
 * settings, and its addresses, without those of one link and without the ones of IPv6 that change from day to day.
 */
export function hostNames(furtherHosts: readonly string[]): HostNames {
  const own = hostname().toLowerCase();
  const short = own.split('.')[0] ?? own;
  const further = furtherHosts.map((host) => host.toLowerCase());
  const dns = [own, short, `${short}.local`, ...further, 'localhost'].filter(
    (name) => isIP(name) === 0 && DNS_NAME.test(name),
  );
  const temporary = temporaryAddresses();
  const current = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ address, internal }) => !internal && !LINK_LOCAL.test(address) && !temporary.has(address))
    .map(({ address }) => address);
  const given = further.filter((host) => isIP(host) !== 0);
  return { dns: [...new Set(dns)], addresses: [...new Set([...current, ...given, '127.0.0.1', '::1'])] };
}

/** Addresses of the privacy extensions (RFC 8981); none where the system does not tell. */
function temporaryAddresses(): ReadonlySet<string> {
  try {
    return temporaryIn(readFileSync('/proc/self/net/if_inet6', 'utf8'));
  } catch {
    return new Set();
  }
}

/** @param table as Linux writes it: address, interface, prefix length, scope, flags (hexadecimal) and device. */
export function temporaryIn(table: string): ReadonlySet<string> {
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  return new Set(
    rows
      .filter(([, , , , flags = '0']) => (Number.parseInt(flags, 16) & TEMPORARY) !== 0)
      .map(([digits = '']) => canonical(digits)),
  );
}

/** Thirty-two digits in the short form of RFC 5952. */
function canonical(digits: string): string {
  const groups = digits.match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}
