import type { Credentials, EapProfile } from '../../functions/system/network/port.ts';

const EAP: EapProfile = {
  kind: 'wpa-eap',
  method: 'PEAP',
  phase2: 'MSCHAPV2',
  identity: 'bob',
  password: 'hunter2',
  anonymousIdentity: 'anonymous',
  caCert: null,
  systemCas: true,
  clientCert: null,
  privateKey: null,
  privateKeyPassword: null,
  subjectMatch: null,
  domainSuffixMatch: 'radius.lab',
};

/** Credentials that NetworkManager accepts, each with a name. */
export const ACCEPTED_CREDENTIALS: ReadonlyArray<readonly [string, Credentials]> = [
  ['an open network', { kind: 'open' }],
  ['WPA-PSK', { kind: 'wpa-psk', password: 'correct horse' }],
  ['WPA-PSK with a raw key', { kind: 'wpa-psk', password: 'f'.repeat(64) }],
  ['WPA3-SAE', { kind: 'sae', password: 'correct horse' }],
  ['enhanced open', { kind: 'owe' }],
  ['PEAP/MSCHAPV2', EAP],
  ['PEAP without a stated inner method', { ...EAP, phase2: null }],
  ['PEAP/GTC', { ...EAP, phase2: 'GTC' }],
  ['PEAP/EAP', { ...EAP, phase2: 'EAP' }],
  [
    'TTLS/PAP with a CA certificate',
    { ...EAP, method: 'TTLS', phase2: 'PAP', systemCas: false, caCert: '/etc/ssl/certs/a.pem' },
  ],
  ['TTLS/CHAP', { ...EAP, method: 'TTLS', phase2: 'CHAP' }],
  ['TTLS/GTC', { ...EAP, method: 'TTLS', phase2: 'GTC' }],
  ['TTLS without a stated inner method', { ...EAP, method: 'TTLS', phase2: null }],
  ['FAST', { ...EAP, method: 'FAST', phase2: 'GTC' }],
  [
    'FAST over an unchecked tunnel',
    { ...EAP, method: 'FAST', phase2: 'GTC', systemCas: false, domainSuffixMatch: null },
  ],
  ['PWD', { ...EAP, method: 'PWD', phase2: null, systemCas: false, domainSuffixMatch: null }],
  [
    'a client certificate',
    { ...EAP, clientCert: '/etc/ssl/certs/c.pem', privateKey: '/etc/ssl/certs/k.pem', privateKeyPassword: 'open' },
  ],
];
