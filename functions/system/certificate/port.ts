/** What the TLS listener of this service shows. */
export interface ServedTls {
  readonly port: number;
  /** PEM: the certificate, or a chain that begins with it. */
  readonly pem: string;
}
