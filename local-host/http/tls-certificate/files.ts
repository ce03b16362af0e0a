import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../../../functions/shared/config.ts';
import { codeOf } from '../../../functions/shared/kit/error-code.ts';
import {
  FileFault,
  faultOf,
  type ReadFile,
  requirePrivate,
  WatchedFile,
} from '../../../functions/shared/kit/files/watched-file.ts';
import type { Logger } from '../../../functions/shared/observability/logger.ts';
import type { CertificatePair, TlsCertificate } from './port.ts';

interface Parts {
  readonly certPath: string;
  readonly keyPath: string;
  readonly logger: Logger;
  readonly clock: () => number;
}

/**
 * Certificate and key in two files that are replaced on renewal while the service runs. While only one of them has been
 * replaced they do not match; the last valid pair stays in use until they do.
 */
export class CertificateFiles implements TlsCertificate {
  readonly #cert: WatchedFile<string>;
  readonly #key: WatchedFile<string>;
  readonly #logger: Logger;
  readonly #clock: () => number;
  #latest: CertificatePair;
  #valid: CertificatePair;

  /** @throws ConfigError with one line when a file is invalid or the two do not match. */
  constructor({ certPath, keyPath, logger, clock }: Parts) {
    this.#logger = logger;
    this.#clock = clock;
    this.#cert = withSetting(`SERVICE_TLS_CERT_PATH (${certPath})`, () => this.#watch(certPath, parseCertificate));
    this.#key = withSetting(`SERVICE_TLS_KEY_PATH (${keyPath})`, () => this.#watch(keyPath, parseKey));
    this.#latest = this.#read();
    this.#valid = this.#latest;
    withSetting('SERVICE_TLS_CERT_PATH and SERVICE_TLS_KEY_PATH', () => assertMatchingPair(this.#valid));
    this.#warnIfExpired();
  }

  current(): CertificatePair {
    const latest = this.#read();
    if (latest.cert === this.#latest.cert && latest.key === this.#latest.key) return this.#valid;
    this.#latest = latest;
    try {
      assertMatchingPair(latest);
      this.#valid = latest;
      this.#logger.info('loaded the new TLS certificate');
      this.#warnIfExpired();
    } catch (error) {
      this.#logger.warn(
        { problem: faultOf(error).message },
        'the new TLS certificate is not usable yet; keeping the last valid one',
      );
    }
    return this.#valid;
  }

  #read(): CertificatePair {
    return { cert: this.#cert.value(), key: this.#key.value() };
  }

  #watch(path: string, parse: (file: ReadFile) => string): WatchedFile<string> {
    return new WatchedFile(path, {
      clock: this.#clock,
      parse,
      onProblem: (problem) => {
        if (problem !== undefined) {
          this.#logger.error({ problem, path }, 'a TLS certificate file is invalid; keeping the last valid one');
        }
      },
    });
  }

  #warnIfExpired(): void {
    const { validTo } = new X509Certificate(this.#valid.cert);
    if (Date.parse(validTo) < this.#clock()) {
      this.#logger.warn({ valid_to: validTo }, 'the TLS certificate has expired; clients will reject it');
    }
  }
}

function parseCertificate({ text }: ReadFile): string {
  try {
    new X509Certificate(text);
    return text;
  } catch (error) {
    throw new FileFault('contains no PEM certificate', { cause: error });
  }
}

function parseKey(file: ReadFile): string {
  requirePrivate(file, 'run chmod 600 on it and, since the key may have leaked, get a new certificate');
  try {
    createSecureContext({ key: file.text });
    return file.text;
  } catch (error) {
    throw new FileFault('contains no PEM private key, or a damaged or encrypted one', { cause: error });
  }
}

function assertMatchingPair(pair: CertificatePair): void {
  try {
    createSecureContext(pair);
  } catch (error) {
    const mismatch = codeOf(error) === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH';
    throw new FileFault(mismatch ? 'certificate and key do not match' : 'not usable for TLS', {
      cause: error,
    });
  }
}

/** Turns errors into a {@link ConfigError} that names the setting. */
function withSetting<T>(setting: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ConfigError(`Invalid TLS certificate. ${setting}: ${faultOf(error).message}`, {
      cause: error,
    });
  }
}
