import { createHash, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import type { HostNames } from './host-names.ts';

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const MAX_COMMON_NAME = 64;

export interface CertificateRequest {
  readonly key: KeyObject;
  readonly organization: string;
  readonly names: HostNames;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * A self-signed X.509 certificate (RFC 5280) of a TLS server, as PEM text. It is no authority: a device that trusts it
 * trusts this robot and nobody whom its key might sign for. Without keyUsage, since OpenSSL takes a certificate that may
 * not sign certificates for one that is not self-signed, and then does not find its issuer.
 * @param key a private P-256 key.
 */
export function issueCertificate({ key, organization, names, notBefore, notAfter }: CertificateRequest): string {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const publicKey = AsnConvert.parse(spki, SubjectPublicKeyInfo);
  const name = nameOf(organization, names.dns[0] ?? 'robot');
  const signature = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature,
    issuer: name,
    validity: new Validity({ notBefore, notAfter }),
    subject: name,
    subjectPublicKeyInfo: publicKey,
    extensions: new Extensions([
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
      extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(id_ce_subjectAltName, alternativeNames(names)),
      extension(id_ce_subjectKeyIdentifier, keyIdentifier(publicKey)),
    ]),
  });
  const signed = Buffer.from(AsnConvert.serialize(tbsCertificate));
  const signatureValue = arrayBuffer(sign('sha256', signed, key));
  const certificate = new Certificate({ tbsCertificate, signatureAlgorithm: signature, signatureValue });
  return pem(Buffer.from(AsnConvert.serialize(certificate)));
}

function nameOf(organization: string, host: string): Name {
  const part = (type: string, text: string) =>
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String: text }) }),
    ]);
  return new Name([part(ORGANIZATION, organization), part(COMMON_NAME, host.slice(0, MAX_COMMON_NAME))]);
}

function alternativeNames({ dns, addresses }: HostNames): SubjectAlternativeName {
  return new SubjectAlternativeName([
    ...dns.map((dNSName) => new GeneralName({ dNSName })),
    ...addresses.map((iPAddress) => new GeneralName({ iPAddress })),
  ]);
}

/** RFC 7093, method 1. */
function keyIdentifier({ subjectPublicKey }: SubjectPublicKeyInfo): SubjectKeyIdentifier {
  const hash = createHash('sha256').update(Buffer.from(subjectPublicKey)).digest();
  return new SubjectKeyIdentifier(arrayBuffer(hash.subarray(0, 20)));
}

function extension(extnID: string, value: object, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

/** Positive, and at most 20 bytes. */
function serialNumber(): ArrayBuffer {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return arrayBuffer(bytes);
}

function arrayBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

/** RFC 7468. */
function pem(der: Buffer): string {
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
