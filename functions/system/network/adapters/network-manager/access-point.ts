import type { Security } from '../../port.ts';

/** NM80211ApFlags and NM80211ApSecurityFlags. */
const PRIVACY = 0x1;
const KEY = { psk: 0x100, eap: 0x200, sae: 0x400, owe: 0x800 } as const;

/**
 * The security of an access point. One that offers both WPA2 and WPA3 counts as `wpa-psk`: with such a profile
 * NetworkManager picks the better one the radio supports.
 */
export function securityOf(flags: number, wpaFlags: number, rsnFlags: number): Security {
  const offered = wpaFlags | rsnFlags;
  if (offered & KEY.psk) return 'wpa-psk';
  if (offered & KEY.sae) return 'sae';
  if (offered & KEY.eap) return 'wpa-eap';
  if (offered & KEY.owe) return 'owe';
  return offered !== 0 || flags & PRIVACY ? 'other' : 'open';
}

/** SSIDs are bytes, nearly always UTF-8; anything else is shown with replacement characters. */
export function ssidText(bytes: unknown): string {
  return Buffer.isBuffer(bytes) ? bytes.toString('utf8') : '';
}
