import type { ServiceError } from '../../../../shared/errors.ts';
import { type RefusalCode, refusal, type Security } from '../../port.ts';
import { networkManagerUnavailable } from './manager.ts';
import { STATE } from './names.ts';

type Kind = 'open' | 'password' | 'eap';

const BY_SECURITY = { open: 'wifi_timeout', password: 'wifi_wrong_password', eap: 'wifi_eap_rejected' } as const;

/** NMDeviceStateReason of a failed activation. Reasons not listed are failures of this machine, not of the network. */
const OUTCOMES: Readonly<Record<number, RefusalCode | Readonly<Partial<Record<Kind, RefusalCode>>>>> = {
  5: 'wifi_no_address', // ip-config-unavailable
  6: 'wifi_no_address', // ip-config-expired
  7: BY_SECURITY, // no-secrets: the given ones were rejected, and there is no agent to ask for others
  8: BY_SECURITY, // supplicant-disconnect
  9: { eap: 'wifi_eap_rejected' }, // supplicant-config-failed: an invalid certificate or key
  11: BY_SECURITY, // supplicant-timeout
  15: 'wifi_no_address', // dhcp-start-failed
  16: 'wifi_no_address', // dhcp-error
  17: 'wifi_no_address', // dhcp-failed
  38: 'conflict', // connection-removed
  39: 'conflict', // user-requested
  53: 'wifi_ssid_not_found',
  60: 'conflict', // new-activation
};

/** The error of a failed activation, from its NMDeviceStateReason. */
export function failure(reason: number, security: Security): ServiceError {
  const listed = OUTCOMES[reason];
  const outcome = typeof listed === 'object' ? listed[kindOf(security)] : listed;
  if (outcome) return refusal(outcome);
  return networkManagerUnavailable(
    `It could not activate the device (NMDeviceStateReason ${reason}). See its log and that of the supplicant.`,
  );
}

/** The error of an activation that timed out, from the NMDeviceState it had reached. */
export function overdue(state: number, security: Security): ServiceError {
  const kind = kindOf(security);
  const outcome =
    state >= STATE.ipConfig && state <= STATE.secondaries
      ? 'wifi_no_address'
      : state === STATE.needAuth // the secrets were rejected, and a desktop agent is being asked for others
        ? BY_SECURITY[kind]
        : 'wifi_timeout';
  return refusal(outcome);
}

function kindOf(security: Security): Kind {
  if (security === 'wpa-eap') return 'eap';
  return security === 'wpa-psk' || security === 'sae' ? 'password' : 'open';
}
