import { createHash, X509Certificate } from 'node:crypto';
import type { Certificate } from './certificate.schema.ts';

/** The names and addresses (subjectAltName) that a certificate is good for. */
export function alternativeNames({ subjectAltName = '' }: X509Certificate): { dns: string[]; addresses: string[] } {
  const entries = subjectAltName.split(', ').map((entry) => entry.split(/:(.*)/s));
  const of = (kind: string) => entries.flatMap(([found, value = '']) => (found === kind ? [value] : []));
  return { dns: of('DNS'), addresses: of('IP Address').map(shortForm) };
}

/** OpenSSL writes all eight groups of an IPv6 address; RFC 5952 the short form. */
function shortForm(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : address;
}

/** What people and clients need to recognize a certificate. @param pem one certificate, or a chain that begins with it. */
export function describeCertificate(pem: string): Certificate {
  const certificate = new X509Certificate(pem);
  const publicKey = certificate.publicKey.export({ type: 'spki', format: 'der' });
  const { dns, addresses } = alternativeNames(certificate);
  return {
    sha256: certificate.fingerprint256,
    public_key_sha256: createHash('sha256').update(publicKey).digest('base64'),
    self_signed: certificate.subject === certificate.issuer,
    names: [...dns, ...addresses],
    not_before: new Date(certificate.validFrom).toISOString(),
    not_after: new Date(certificate.validTo).toISOString(),
    pem: certificate.toString(),
  };
}
