import { type ErrorCode, ServiceError } from '../../errors.ts';

/** What a network, or somebody else, can do to an attempt to join. */
export type RefusalCode = Extract<
  ErrorCode,
  'wifi_wrong_password' | 'wifi_eap_rejected' | 'wifi_ssid_not_found' | 'wifi_no_address' | 'wifi_timeout' | 'conflict'
>;

const DETAILS: Readonly<Record<RefusalCode, string>> = {
  wifi_wrong_password: 'The network refused the password, or broke off the handshake that proves it.',
  wifi_eap_rejected:
    'The network refused the identity, password or certificates, or its server is not the one that was asked for.',
  wifi_ssid_not_found: 'No network of this name was heard. Check the name and the distance, and is_hidden.',
  wifi_no_address: 'The network let the robot in but gave it no address (DHCP).',
  wifi_timeout: 'The network did not answer in time. It may be too far away.',
  conflict: 'Someone else changed the connection of this robot meanwhile.',
};

/** The error of a join that was refused. */
export function refusal(code: RefusalCode): ServiceError {
  return new ServiceError(code, { detail: DETAILS[code] });
}
