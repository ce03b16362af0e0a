import { randomUUID } from 'node:crypto';
import { typed } from '../../functions/shared/kit/system-bus.ts';
import type { ProfileFrame, Sections } from '../../functions/system/network/adapters/network-manager/settings.ts';

/** A wired profile for the one device this machine can have: with an address of its own, or waiting for DHCP. */
export function wired(id: string, address: string | undefined, frame: ProfileFrame, dhcpSeconds = 25): Sections {
  return {
    connection: {
      id: typed('s', id),
      uuid: typed('s', frame.uuid),
      type: typed('s', '802-3-ethernet'),
      'interface-name': typed('s', 'robot0'),
      autoconnect: typed('b', frame.autoconnect),
    },
    ipv4: address
      ? {
          method: typed('s', 'manual'),
          'address-data': typed('aa{sv}', [{ address: typed('s', address), prefix: typed('u', 24) }]),
        }
      : { method: typed('s', 'auto'), 'dhcp-timeout': typed('i', dhcpSeconds), 'may-fail': typed('b', false) },
    ipv6: { method: typed('s', 'disabled') },
  };
}

/** The frame of a profile that is only tried. */
export const tried = (): ProfileFrame => ({ uuid: randomUUID(), autoconnect: false });
