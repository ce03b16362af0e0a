import { isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The block of addresses one client may speak from: an IPv4 address by itself, of an IPv6 address the first 64 bits,
 * since every host has the other 64 to itself (RFC 4291, section 2.5.1).
 */
export function addressBlock(address: string): string {
  const [plain = ''] = address.split('%');
  const mapped = MAPPED.exec(plain)?.[1];
  if (mapped !== undefined || !isIPv6(plain)) return mapped ?? plain;
  const [head = '', tail] = plain.split('::');
  const left = groupsOf(head);
  const zeros = tail === undefined ? 0 : 8 - left.length - groupsOf(tail).length;
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...groupsOf(tail ?? '')];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** Groups of 16 bits; an IPv4 address at the end takes two, both beyond the first 64 bits. */
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
