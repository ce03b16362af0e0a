import { isDeepStrictEqual } from 'node:util';
import { type Config, processConfig } from '../config.ts';
import { keyStore, secrets, signingKeys } from '../identity/ports.ts';
import { isSecretName } from '../identity/secrets.port.ts';
import { createLogger, type Logger } from '../observability/logger.ts';
import { type Port, Ports } from '../port.ts';
import type { HostFacts } from './exchange.ts';
import { asServiceError } from './render-error.ts';

type Texts = Readonly<Record<string, string>>;

interface LambdaHost extends HostFacts {
  /** The text of each setting that names a secret. */
  readonly texts: Texts;
  readonly readAt: number;
}

/**
 * How old the text of a secret may grow; a revoked API key dies in the cloud within this and the extension's own
 * minute.
 */
const SECRETS_LIVE_MS = 60_000;

let present: LambdaHost | undefined;

/** What is made from a secret: opened before anything else is given up for it, so that a broken text does no harm. */
const MADE_OF: Readonly<Record<string, Port<unknown>>> = {
  SERVICE_JWT_SIGNING_KEY: signingKeys,
  SERVICE_API_KEYS: keyStore,
};

/**
 * The host of a function that runs by itself: its ports are made from the settings at the first event and kept, since
 * a function keeps its memory between two events and never sees two at once.
 *
 * Settings that name a secret get its text first. That is read again each minute, before the event is answered;
 * when a text has changed everything is made anew, and when it is invalid the last valid one is kept. Without a last
 * valid one the host has a fault instead, and the next event tries again.
 * @throws ConfigError
 */
export async function lambdaHost(now = Date.now()): Promise<HostFacts> {
  if (present && (Object.keys(present.texts).length === 0 || now - present.readAt < SECRETS_LIVE_MS)) return present;
  const settings = processConfig();
  const logger = createLogger(settings.SERVICE_LOG_LEVEL);
  try {
    const texts = await textsOf(settings, logger);
    if (!present || !isDeepStrictEqual(texts, present.texts)) {
      const ports = await portsOf(texts, logger);
      await present?.ports.close();
      present = { ...alone(ports), texts, readAt: now };
    }
  } catch (error) {
    logger.error({ err: error }, 'cannot use a secret; keeping the last valid one, if there was one');
    if (!present) return { ...alone(new Ports({ config: settings, logger })), fault: asServiceError(error) };
  }
  present = { ...present, readAt: now };
  return present;
}

/** Closes what this function has opened. In the cloud it just ends; who runs one elsewhere says when. */
export async function endFunction(): Promise<void> {
  await present?.ports.close();
  present = undefined;
}

function alone(ports: Ports): HostFacts {
  return { ports, listener: 'tcp', signal: new AbortController().signal, abandoned: false, arrivedAt: 0 };
}

async function textsOf(settings: Config, logger: Logger): Promise<Texts> {
  const named = Object.entries(settings).filter((setting): setting is [string, string] => isSecretName(setting[1]));
  if (named.length === 0) return {};
  const store = await new Ports({ config: settings, logger }).get(secrets);
  return Object.fromEntries(
    await Promise.all(named.map(async ([name, arn]) => [name, await store.read(arn)] as const)),
  );
}

async function portsOf(texts: Texts, logger: Logger): Promise<Ports> {
  const ports = new Ports({ config: processConfig(texts), logger });
  const made = Object.keys(texts).flatMap((name) => MADE_OF[name] ?? []);
  await Promise.all(made.map((port) => ports.get(port)));
  return ports;
}
