import type { Security } from '../../shared/adapters/wifi/port.ts';
import type { Fault } from '../../shared/errors.ts';
import type { WiFiConfig } from './wifi-config.schema.ts';

/** The fields of a WiFiConfig these rules look at. */
export type Credentialed = Omit<WiFiConfig, 'ssid' | 'band'>;

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
] as const satisfies ReadonlyArray<keyof Credentialed>;

/** What a tunnel can carry: PEAP and FAST speak only EAP inside, PWD has no tunnel. */
const INNER = {
  PEAP: ['MSCHAPV2', 'GTC', 'EAP'],
  FAST: ['MSCHAPV2', 'GTC', 'EAP'],
  TTLS: ['MSCHAPV2', 'GTC', 'PAP', 'CHAP', 'EAP'],
  PWD: [],
} as const satisfies Record<NonNullable<Credentialed['eap_method']>, readonly string[]>;

/** The security that the fields themselves tell, or undefined when only a scan can. */
export function statedSecurity(config: Credentialed): Security | undefined {
  if (config.security) return config.security;
  if (ONLY_802_1X.some((field) => config[field] !== null)) return 'wpa-eap';
  if (!config.is_hidden) return undefined;
  return config.password === null ? 'open' : 'wpa-psk'; // a hidden network is in no scan by its name
}

/** What is wrong with the credentials for a network of this security. */
export function credentialFaults(config: Credentialed, security: Security): Fault[] {
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
      return [fault('ssid', 'The network is secured in a way this service does not configure (WEP, for instance).')];
  }
}

function fault(field: 'ssid' | keyof Credentialed, message: string): Fault {
  return { pointer: `/${field}`, message };
}

function noPassword({ password }: Credentialed): Fault[] {
  return password === null ? [] : [fault('password', 'An open network takes no password.')];
}

function passphrase({ password }: Credentialed, security: 'wpa-psk' | 'sae'): Fault[] {
  if (password === null) return [fault('password', `A network secured with ${security} needs a password.`)];
  if (PASSPHRASE.test(password) || (security === 'wpa-psk' && RAW_KEY.test(password))) return [];
  const hex = security === 'wpa-psk' ? ', or is 64 hexadecimal digits' : '';
  return [fault('password', `The password has 8 to 63 printable ASCII characters${hex}.`)];
}

function no8021x(config: Credentialed, security: Security): Fault[] {
  return ONLY_802_1X.filter((field) => config[field] !== null).map((field) =>
    fault(field, `"${field}" belongs to 802.1X; the network is secured with ${security}.`),
  );
}

function eap(config: Credentialed): Fault[] {
  const faults: Fault[] = [];
  const needed = (['eap_method', 'identity', 'password'] as const).filter((field) => config[field] === null);
  for (const field of needed) faults.push(fault(field, `802.1X needs "${field}".`));
  const { eap_method, phase2 } = config;
  if (eap_method && phase2) {
    const possible: readonly string[] = INNER[eap_method];
    if (possible.length === 0) faults.push(fault('phase2', `${eap_method} has no inner method; leave phase2 out.`));
    else if (!possible.includes(phase2)) {
      faults.push(fault('phase2', `Inside ${eap_method} only ${possible.join(', ')} can run.`));
    }
  }
  if (config.client_cert !== null && config.private_key === null) {
    faults.push(fault('private_key', 'client_cert needs its private_key.'));
  }
  if (config.private_key !== null && config.client_cert === null) {
    faults.push(fault('client_cert', 'private_key needs its client_cert.'));
  }
  if (config.private_key_password !== null && config.private_key === null) {
    faults.push(fault('private_key_password', 'There is no private_key this password could open.'));
  }
  return faults;
}
