import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { requirePrivate } from '../files/require-private.ts';
import { codeOf, FileFault, faultOf, type ReadFile, WatchedFile } from '../files/watched-file.ts';
import type { CertificatePair, TlsCertificate } from './port.ts';

interface Parts {
  readonly certPath: string;
  readonly keyPath: string;
  readonly logger: Logger;
  readonly clock: () => number;
}

/**
 * Certificate and key in two files that a renewal replaces while the service runs. Between the two replacements they do
 * not belong together: the last good pair stays in use until they do again.
 */
export class CertificateFiles implements TlsCertificate {
  readonly #cert: WatchedFile<string>;
  readonly #key: WatchedFile<string>;
  readonly #logger: Logger;
  readonly #clock: () => number;
  #tried: CertificatePair;
  #good: CertificatePair;

  /** @throws ConfigError in one line when a file cannot be used, or they do not belong together. */
  constructor({ certPath, keyPath, logger, clock }: Parts) {
    this.#logger = logger;
    this.#clock = clock;
    this.#cert = naming(`SERVICE_TLS_CERT_PATH (${certPath})`, () => this.#watch(certPath, parseCertificate));
    this.#key = naming(`SERVICE_TLS_KEY_PATH (${keyPath})`, () => this.#watch(keyPath, parseKey));
    this.#tried = this.#read();
    this.#good = this.#tried;
    naming('SERVICE_TLS_CERT_PATH and SERVICE_TLS_KEY_PATH', () => requireMatch(this.#good));
    this.#warnOfExpiry();
  }

  current(): CertificatePair {
    const now = this.#read();
    if (now.cert === this.#tried.cert && now.key === this.#tried.key) return this.#good;
    this.#tried = now;
    try {
      requireMatch(now);
      this.#good = now;
      this.#logger.info('the TLS certificate was replaced');
      this.#warnOfExpiry();
    } catch (error) {
      this.#logger.warn(
        { problem: faultOf(error).message },
        'the new TLS certificate cannot be used yet; the last good one stays',
      );
    }
    return this.#good;
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
          this.#logger.error(
            { problem, path },
            'a file of the TLS certificate cannot be used; the last good one stays',
          );
        }
      },
    });
  }

  #warnOfExpiry(): void {
    const { validTo } = new X509Certificate(this.#good.cert);
    if (Date.parse(validTo) < this.#clock()) {
      this.#logger.warn({ valid_to: validTo }, 'the TLS certificate has expired; clients will refuse it');
    }
  }
}

function parseCertificate({ text }: ReadFile): string {
  try {
    new X509Certificate(text);
    return text;
  } catch (error) {
    throw new FileFault('it holds no certificate in PEM form', { cause: error });
  }
}

function parseKey(file: ReadFile): string {
  requirePrivate(file, 'make it private with chmod 600 and, as it may have leaked, have a new certificate made');
  try {
    createSecureContext({ key: file.text });
    return file.text;
  } catch (error) {
    throw new FileFault('it holds no private key in PEM form, or one that is damaged or encrypted', { cause: error });
  }
}

function requireMatch(pair: CertificatePair): void {
  try {
    createSecureContext(pair);
  } catch (error) {
    const mismatch = codeOf(error) === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH';
    throw new FileFault(mismatch ? 'certificate and key do not belong together' : 'TLS cannot use them', {
      cause: error,
    });
  }
}

function naming<T>(setting: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ConfigError(`The TLS certificate cannot be used. ${setting}: ${faultOf(error).message}`, {
      cause: error,
    });
  }
}
