import { BlockList, isIP } from 'node:net';
import { ConfigError } from '../../functions/shared/config.ts';

export interface Client {
  readonly address: string;
  /** The peer is a trusted proxy, so its forwarding headers are believed. */
  readonly viaTrustedProxy: boolean;
}

/**
 * Finds the address of the client: the peer itself or, if the peer is a trusted proxy, the right-most address in
 * X-Forwarded-For that is not one. @throws ConfigError for an entry that is not a CIDR block.
 */
export function createClientAddress(
  trusted: readonly string[],
): (peer: string, forwardedFor: string | undefined) => Client {
  if (trusted.length === 0) return (peer) => ({ address: unmapped(peer), viaTrustedProxy: false });
  const isProxy = createBlockMatcher(trusted);

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

/** Matches peers that may carry the requests of many clients: trusted proxies and local processes. */
export function createSharedPeerCheck(trusted: readonly string[]): (peer: string) => boolean {
  const isShared = createBlockMatcher([...LOOPBACK, ...trusted]);
  return (peer) => isShared(unmapped(peer));
}

function createBlockMatcher(blocks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const block of blocks) addBlock(list, block);
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** A CIDR block, or a single address. */
const BLOCK = /^([^/]+)(?:\/(\d{1,3}))?$/;

function addBlock(list: BlockList, block: string): void {
  const [, address = '', bits] = BLOCK.exec(block) ?? [];
  const [type, maxBits] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
  const prefix = Number(bits ?? maxBits);
  if (isIP(address) === 0 || prefix > maxBits) {
    throw new ConfigError('SERVICE_TRUSTED_PROXY: must be a comma-separated list of CIDR blocks, such as 10.0.0.0/8');
  }
  list.addSubnet(address, prefix, type);
}

/** An IPv4 client of a dual-stack listener arrives as ::ffff:1.2.3.4. */
function unmapped(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
