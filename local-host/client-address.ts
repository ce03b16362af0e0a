import { BlockList, isIP } from 'node:net';
import { ConfigError } from '../functions/shared/config.ts';

export interface Client {
  readonly address: string;
  /** The peer itself is a trusted proxy, so that what it says of the client counts. */
  readonly viaTrustedProxy: boolean;
}

/**
 * Who is really calling: the peer, or the right-most address of X-Forwarded-For that is no trusted proxy itself, when the
 * peer is one. @throws ConfigError for an entry that is no CIDR block.
 */
export function createClientAddress(
  trusted: readonly string[],
): (peer: string, forwardedFor: string | undefined) => Client {
  if (trusted.length === 0) return (peer) => ({ address: unmapped(peer), viaTrustedProxy: false });
  const isProxy = createMembership(trusted);

  return (peer, forwardedFor) => {
    const direct = unmapped(peer);
    if (!isProxy(direct)) return { address: direct, viaTrustedProxy: false };
    const hops = (forwardedFor ?? '')
      .split(',')
      .map((hop) => unmapped(hop.trim()))
      .filter((hop) => hop !== '');
    const client = hops.reverse().find((hop) => !isProxy(hop));
    return { address: client !== undefined && isIP(client) !== 0 ? client : direct, viaTrustedProxy: true };
  };
}

const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Peers whose connections may carry the requests of many clients: trusted proxies, and whoever runs on this computer. */
export function createSpeaksForMany(trusted: readonly string[]): (peer: string) => boolean {
  const isMember = createMembership([...LOOPBACK, ...trusted]);
  return (peer) => isMember(unmapped(peer));
}

function createMembership(blocks: readonly string[]): (address: string) => boolean {
  const members = new BlockList();
  for (const block of blocks) addBlock(members, block);
  return (address) => isIP(address) !== 0 && members.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** An address alone stands for itself. */
const BLOCK = /^([^/]+)(?:\/(\d{1,3}))?$/;

function addBlock(proxies: BlockList, block: string): void {
  const [, address = '', bits] = BLOCK.exec(block) ?? [];
  const [type, longest] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
  const prefix = Number(bits ?? longest);
  if (isIP(address) === 0 || prefix > longest) {
    throw new ConfigError('SERVICE_TRUSTED_PROXY: a comma-separated list of CIDR blocks, 10.0.0.0/8 for instance');
  }
  proxies.addSubnet(address, prefix, type);
}

/** An IPv4 client of a dual-stack listener arrives as ::ffff:1.2.3.4. */
function unmapped(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
