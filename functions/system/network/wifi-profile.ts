import type { Credentials, EapProfile, Security, WifiProfile } from './port.ts';
import type { WiFiConfig } from './wifi-config.schema.ts';

/** The profile for a configuration whose credentials have been checked against this security (see credentialFaults). */
export function profileOf(config: WiFiConfig, security: Security): WifiProfile {
  const { ssid, is_hidden: hidden } = config;
  return { ssid, hidden, band: bandOf(config.band), credentials: credentialsOf(config, security) };
}

/**
 * Whether the server would not be verified, so that an evil twin of the network could steal the password. PWD
 * authenticates both sides by the password itself. A private CA is sufficient; the system's CAs certify any name, so
 * they also need a name to match.
 */
export function isUnverified(config: WiFiConfig): boolean {
  const { eap_method, ca_cert, subject_match, domain_suffix_match } = config;
  return eap_method !== 'PWD' && ca_cert === null && subject_match === null && domain_suffix_match === null;
}

function bandOf(band: WiFiConfig['band']): WifiProfile['band'] {
  if (band === null || band === '6GHz') return band;
  return band === 'a' || band === '5GHz' ? 'a' : 'bg';
}

function credentialsOf(config: WiFiConfig, security: Security): Credentials {
  switch (security) {
    case 'wpa-psk':
    case 'sae':
      return { kind: security, password: config.password ?? '' };
    case 'wpa-eap':
      return eapOf(config);
    default:
      return { kind: security === 'owe' ? 'owe' : 'open' };
  }
}

function eapOf(config: WiFiConfig): EapProfile {
  return {
    kind: 'wpa-eap',
    method: config.eap_method ?? 'PEAP',
    phase2: config.phase2,
    identity: config.identity ?? '',
    password: config.password ?? '',
    anonymousIdentity: config.anonymous_identity,
    caCert: config.ca_cert,
    systemCas: config.eap_method !== 'PWD' && config.ca_cert === null && !isUnverified(config),
    clientCert: config.client_cert,
    privateKey: config.private_key,
    privateKeyPassword: config.private_key_password,
    subjectMatch: config.subject_match,
    domainSuffixMatch: config.domain_suffix_match,
  };
}
