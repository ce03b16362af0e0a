import { type Config, ConfigError } from '../../../../functions/shared/config.ts';
import { faultOf } from '../../../../functions/shared/kit/files/watched-file.ts';
import type { Logger } from '../../../../functions/shared/observability/logger.ts';
import { StartError } from '../../../start-error.ts';
import { openTlsCertificate } from '../open.ts';
import type { TlsCertificate } from '../port.ts';
import { hostNames } from './host-names.ts';
import { SelfSignedCertificate } from './self-signed-certificate.ts';

interface Parts {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: () => number;
  /** Opens the listeners that use the certificate. @throws StartError when a port is taken. */
  readonly listen: (certificate: TlsCertificate) => Promise<void>;
  /** How often names, addresses and the end of the certificate are checked. */
  readonly checkMs: number;
}

/**
 * Keeps the service's own certificate valid, and opens the TLS listeners as soon as there is one. Nothing of it is fatal:
 * a robot without TLS can still be stopped.
 */
export class CertificateRenewal {
  readonly #parts: Parts;
  readonly #certificate: SelfSignedCertificate;
  #listening = false;
  #problem: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #check: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    const { config, clock } = parts;
    this.#parts = parts;
    this.#certificate = new SelfSignedCertificate({
      certPath: config.SERVICE_TLS_CERT_PATH ?? '',
      keyPath: config.SERVICE_TLS_KEY_PATH ?? '',
      names: () => hostNames(config.SERVICE_ALLOWED_HOSTS),
      clock,
    });
  }

  /** Why there is no TLS, or why its certificate could not be renewed; undefined if all is well. For anybody to read. */
  problem(): string | undefined {
    return this.#problem;
  }

  /** Settles after the first check, whatever it found. */
  start(): Promise<void> {
    this.#check = this.#tryOnce();
    this.#timer = setInterval(() => {
      this.#check = this.#check.then(() => this.#tryOnce());
    }, this.#parts.checkMs).unref();
    return this.#check;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#check;
  }

  async #tryOnce(): Promise<void> {
    const { logger } = this.#parts;
    try {
      const reason = await this.#certificate.renew();
      if (reason !== undefined) logger.info({ reason }, 'made a new self-signed TLS certificate');
      await this.#listen();
      if (this.#problem !== undefined) logger.info('TLS is served again with a good certificate');
      this.#problem = undefined;
    } catch (error) {
      const problem = sentenceFor(error);
      if (problem !== this.#problem) logger.error({ problem, err: error }, 'TLS with a certificate of our own fails');
      this.#problem = problem;
    }
  }

  async #listen(): Promise<void> {
    if (this.#listening) return;
    const { config, logger, clock, listen } = this.#parts;
    const certificate = await openTlsCertificate(config, logger, clock);
    if (certificate) await listen(certificate);
    this.#listening = true;
  }
}

/** The texts of settings hold paths, which not everybody need know. */
function sentenceFor(error: unknown): string {
  if (error instanceof ConfigError) {
    return 'tls-certificate.pem and tls-key.pem in the data folder cannot be used together; the service log says why';
  }
  return error instanceof StartError ? error.message : faultOf(error).message;
}
