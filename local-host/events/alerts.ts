import { X509Certificate } from 'node:crypto';
import { ALERTS, type AlertRaised } from '../../functions/shared/events/data.schema.ts';
import type { Events } from '../../functions/shared/events/events.port.ts';
import { endOf } from '../../functions/shared/identity/api-key-record.schema.ts';
import type { KeyStore } from '../../functions/shared/identity/key-store.port.ts';
import type { ServedTls } from '../../functions/system/certificate/port.ts';
import type { ReadinessCheck } from '../../functions/system/status/readiness.ts';

const CHECK_MS = 5_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How long before a certificate expires it is time to renew it. */
const RENEWAL_MS = 14 * DAY_MS;
/** How long before its expiry an API key should be replaced. */
const KEY_NOTICE_MS = 7 * DAY_MS;
/** Maximum number of keys to name in a message. */
const MAX_NAMED = 5;

export interface AlertParts {
  readonly checks: readonly ReadinessCheck[];
  /** What the TLS listener shows now. */
  readonly servedTls: () => Pick<ServedTls, 'pem'> | undefined;
  readonly keys: Pick<KeyStore, 'list'>;
  readonly events: Events;
  readonly clock: () => number;
  readonly checkMs?: number;
}

/** The topic `alerts`: parts that are in trouble, in the words of `/health/ready`, and certificates and API keys about to expire. */
export class Alerts {
  readonly #parts: AlertParts;
  readonly #raised = new Map<AlertRaised['alert'], string>();
  readonly #timer: NodeJS.Timeout;
  #checking: Promise<void> | undefined;

  constructor(parts: AlertParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.check(), parts.checkMs ?? CHECK_MS).unref();
    void this.check();
  }

  /** Raises and clears what has changed. A check that takes long is not started twice. */
  check(): Promise<void> {
    this.#checking ??= this.#checkAll().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #checkAll(): Promise<void> {
    for (const alert of ALERTS) {
      this.#set(alert, await this.#problemOf(alert));
    }
  }

  async #problemOf(alert: AlertRaised['alert']): Promise<string | undefined> {
    if (alert === 'certificate') return (await this.#partProblem('tls')) ?? this.#expiryProblem();
    return alert === 'key_expiry' ? this.#keyProblem() : this.#partProblem(alert);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #set(alert: AlertRaised['alert'], message: string | undefined): void {
    if (this.#raised.get(alert) === message) return;
    const { events } = this.#parts;
    if (message === undefined) {
      this.#raised.delete(alert);
      events.publish('alerts', 'cleared', { alert }, { subject: alert });
    } else {
      this.#raised.set(alert, message);
      events.publish('alerts', 'raised', { alert, message }, { subject: alert });
    }
  }

  async #partProblem(name: string): Promise<string | undefined> {
    const check = this.#parts.checks.find(({ part }) => part === name);
    if (!check) return undefined;
    const problem = await check.problem().catch(() => 'the check failed');
    return problem === undefined ? undefined : check.reason;
  }

  #keyProblem(): string | undefined {
    const { keys, clock } = this.#parts;
    const now = clock();
    const ending = keys
      .list()
      .filter((key) => key.revoked_at === null && endOf(key) > now && endOf(key) - now <= KEY_NOTICE_MS)
      .sort((one, other) => endOf(one) - endOf(other));
    if (ending.length === 0) return undefined;
    const named = ending.slice(0, MAX_NAMED).map(({ id, name, expires_at }) => `${id} ("${name}") on ${expires_at}`);
    const more = ending.length > MAX_NAMED ? `, and ${ending.length - MAX_NAMED} more` : '';
    return `API keys expire: ${named.join(', ')}${more}. Create new ones, and give them to whoever uses these.`;
  }

  #expiryProblem(): string | undefined {
    const { servedTls, clock } = this.#parts;
    const served = servedTls();
    if (!served) return undefined;
    const expiresAt = Date.parse(new X509Certificate(served.pem).validTo);
    if (expiresAt - clock() > RENEWAL_MS) return undefined;
    return `The TLS certificate expires on ${new Date(expiresAt).toISOString()}. Renew it; clients reject an expired one.`;
  }
}
