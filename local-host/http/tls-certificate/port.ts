/** A certificate chain and its private key, both as PEM text. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/** The certificate of the TLS listener. */
export interface TlsCertificate {
  /** The pair to use now; the same object until it changes. */
  current(): CertificatePair;
}
