import type * as z from 'zod';
import type { Fault } from '../../shared/errors.ts';
import type { Security } from './port.ts';
import type { WifiFields } from './wifi-fields.schema.ts';

/** The fields of a WiFiConfig that these rules check. */
type CredentialFields = Omit<z.output<typeof WifiFields>, 'ssid' | 'band'>;

const PASSPHRASE = /^[\x20-\x7e]{8,63}$/;
const RAW_KEY = /^[0-9a-fA-F]{64}$/;
const ONLY_802_1X = [
  'eap_method',
  'phase2',
  'identity',
  'anonymous_identity',
  'ca_cert',
  'client_cert',
  'private_key',
  'private_key_password',
  'subject_match',
  'domain_suffix_match',
] as const satisfies ReadonlyArray<keyof CredentialFields>;

/** Possible inner methods: PEAP and FAST only tunnel EAP, PWD has no tunnel. */
const INNER_METHODS = {
  PEAP: ['MSCHAPV2', 'GTC', 'EAP'],
  FAST: ['MSCHAPV2', 'GTC', 'EAP'],
  TTLS: ['MSCHAPV2', 'GTC', 'PAP', 'CHAP', 'EAP'],
  PWD: [],
} as const satisfies Record<NonNullable<CredentialFields['eap_method']>, readonly string[]>;

/** The security implied by the fields themselves, or undefined if only a scan can tell. */
export function statedSecurity(config: CredentialFields): Security | undefined {
  if (config.security) return config.security;
  if (ONLY_802_1X.some((field) => config[field] !== null)) return 'wpa-eap';
  if (!config.is_hidden) return undefined;
  return config.password === null ? 'open' : 'wpa-psk'; // scans do not show the name of a hidden network
}

/** Checks the credentials against the security of the network. */
export function credentialFaults(config: CredentialFields, security: Security): Fault[] {
  switch (security) {
    case 'open':
    case 'owe':
      return [...noPassword(config), ...no8021x(config, security)];
    case 'wpa-psk':
    case 'sae':
      return [...passphrase(config, security), ...no8021x(config, security)];
    case 'wpa-eap':
      return eap(config);
    case 'other':
      return [fault('ssid', 'The network uses a kind of security that this service does not support (such as WEP).')];
  }
}

function fault(field: 'ssid' | keyof CredentialFields, message: string): Fault {
  return { pointer: `/${field}`, message };
}

function noPassword({ password }: CredentialFields): Fault[] {
  return password === null ? [] : [fault('password', 'An open network takes no password.')];
}

function passphrase({ password }: CredentialFields, security: 'wpa-psk' | 'sae'): Fault[] {
  if (password === null) return [fault('password', `A network with ${security} security requires a password.`)];
  if (PASSPHRASE.test(password) || (security === 'wpa-psk' && RAW_KEY.test(password))) return [];
  const hex = security === 'wpa-psk' ? ', or 64 hexadecimal digits' : '';
  return [fault('password', `The password must be 8 to 63 printable ASCII characters${hex}.`)];
}

function no8021x(config: CredentialFields, security: Security): Fault[] {
  return ONLY_802_1X.filter((field) => config[field] !== null).map((field) =>
    fault(field, `"${field}" only applies to 802.1X, but the network uses ${security}.`),
  );
}

function eap(config: CredentialFields): Fault[] {
  const faults: Fault[] = [];
  const needed = (['eap_method', 'identity', 'password'] as const).filter((field) => config[field] === null);
  for (const field of needed) faults.push(fault(field, `802.1X requires "${field}".`));
  const { eap_method, phase2 } = config;
  if (eap_method && phase2) {
    const possible: readonly string[] = INNER_METHODS[eap_method];
    if (possible.length === 0) faults.push(fault('phase2', `${eap_method} has no inner method; omit phase2.`));
    else if (!possible.includes(phase2)) {
      faults.push(fault('phase2', `The inner method of ${eap_method} must be one of ${possible.join(', ')}.`));
    }
  }
  if (config.client_cert !== null && config.private_key === null) {
    faults.push(fault('private_key', 'client_cert requires private_key.'));
  }
  if (config.private_key !== null && config.client_cert === null) {
    faults.push(fault('client_cert', 'private_key requires client_cert.'));
  }
  if (config.private_key_password !== null && config.private_key === null) {
    faults.push(fault('private_key_password', 'private_key_password requires private_key.'));
  }
  return faults;
}
