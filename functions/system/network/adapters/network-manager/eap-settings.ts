import { type Typed, typed } from '../../../../shared/kit/system-bus.ts';
import type { EapProfile } from '../../port.ts';

/** The 802-1x section (nm-settings-dbus(5)) of a profile with every field of the specification, section 2.2. */
export function eapSettings(eap: EapProfile): Record<string, Typed> {
  return {
    eap: typed('as', [eap.method.toLowerCase()]),
    identity: typed('s', eap.identity),
    password: typed('s', eap.password),
    ...text('anonymous-identity', eap.anonymousIdentity),
    ...innerMethod(eap),
    ...provisioning(eap),
    ...file('ca-cert', eap.caCert),
    ...(eap.systemCas ? { 'system-ca-certs': typed('b', true) } : {}),
    ...file('client-cert', eap.clientCert),
    ...file('private-key', eap.privateKey),
    ...text('private-key-password', eap.privateKeyPassword),
    ...text('subject-match', eap.subjectMatch),
    ...text('domain-suffix-match', eap.domainSuffixMatch),
  };
}

/**
 * The inner authentication. `EAP` means EAP-MSCHAPv2, and GTC only exists as an EAP method inside TTLS. NetworkManager
 * requires one for PEAP and TTLS; MSCHAPv2 at least does not disclose the password.
 */
function innerMethod({ method, phase2 }: EapProfile): Record<string, Typed> {
  if (phase2 === null) return method === 'PEAP' || method === 'TTLS' ? { 'phase2-auth': typed('s', 'mschapv2') } : {};
  if (phase2 === 'EAP') return { 'phase2-autheap': typed('s', 'mschapv2') };
  if (method === 'TTLS' && phase2 === 'GTC') return { 'phase2-autheap': typed('s', 'gtc') };
  return { 'phase2-auth': typed('s', phase2.toLowerCase()) };
}

/**
 * FAST without a PAC file fetches one from the server: `2` only over an authenticated tunnel, `3` also over an
 * unauthenticated one, which the operator must have allowed.
 */
function provisioning({ method, caCert, systemCas }: EapProfile): Record<string, Typed> {
  if (method !== 'FAST') return {};
  return { 'phase1-fast-provisioning': typed('s', caCert !== null || systemCas ? '2' : '3') };
}

function text(name: string, value: string | null): Record<string, Typed> {
  return value === null ? {} : { [name]: typed('s', value) };
}

/** Files are passed by reference, as the bytes of a NUL-terminated URL. */
function file(name: string, path: string | null): Record<string, Typed> {
  return path === null ? {} : { [name]: typed('ay', Buffer.from(`file://${path}\0`, 'utf8')) };
}
