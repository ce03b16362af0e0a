import { type CurrentConnection, refusal, type Security, type Wifi } from '../../shared/adapters/wifi/port.ts';
import type { WifiRecord } from '../../shared/adapters/wifi-record/port.ts';
import { type Fault, ServiceError } from '../../shared/errors.ts';
import { credentialFaults, statedSecurity } from './credential-rules.ts';
import type { WiFiConfig } from './wifi-config.schema.ts';
import { isUnverified, profileOf } from './wifi-profile.ts';

/** Longest time a network may take from the first frame to the address, in seconds. */
export const JOIN_LIMIT_SECONDS = 45;
/** When the safety net pulls by itself: after the join has ended in any case, never 0 (which would mean "never"). */
export const ROLLBACK_SECONDS = JOIN_LIMIT_SECONDS + 15;

export interface ConfigureParts {
  readonly wifi: Wifi;
  readonly record: WifiRecord;
  /** 802.1X without checking the server is allowed (SERVICE_WIFI_ALLOW_UNVERIFIED_EAP). */
  readonly allowUnverifiedEap: boolean;
}

/**
 * Adds or replaces a network and connects to it, or leaves the connection that was there (specification, section 4.6).
 * It runs to its end also when nobody waits for the answer any more: the link of the caller may be the one that changes.
 * @throws ServiceError `validation_failed`, `busy`, `component_unavailable`, and those of {@link Wifi.begin} and its attempt.
 */
export async function configureWifi(parts: ConfigureParts, config: WiFiConfig): Promise<CurrentConnection> {
  refuse(await localFaults(parts, config));
  await parts.record.start(config.ssid);
  try {
    const security = await securityToUse(parts.wifi, config);
    const connection = await join(parts.wifi, config, security);
    await parts.record.finish('connected');
    return connection;
  } catch (error) {
    await parts.record.finish('failed', error instanceof ServiceError ? error.code : 'internal_error');
    throw error;
  }
}

async function join(wifi: Wifi, config: WiFiConfig, security: Security): Promise<CurrentConnection> {
  const attempt = await wifi.begin(ROLLBACK_SECONDS);
  try {
    const connection = await attempt.join(profileOf(config, security), JOIN_LIMIT_SECONDS);
    await attempt.keep();
    return connection;
  } catch (error) {
    if (await attempt.undo()) throw error;
    throw withWarning(error);
  }
}

/** What only this machine can tell is wrong. */
async function localFaults({ wifi, allowUnverifiedEap }: ConfigureParts, config: WiFiConfig): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const field of ['ca_cert', 'client_cert', 'private_key'] as const) {
    const message = config[field] === null ? undefined : await wifi.certificateFault(config[field]);
    if (message !== undefined) faults.push({ pointer: `/${field}`, message });
  }
  if (statedSecurity(config) === 'wpa-eap' && !allowUnverifiedEap && isUnverified(config)) {
    const message =
      'Without ca_cert, domain_suffix_match or subject_match has to say whose server may get the password; SERVICE_WIFI_ALLOW_UNVERIFIED_EAP=1 allows to check nothing.';
    faults.push({ pointer: '/domain_suffix_match', message });
  }
  return faults;
}

/** The security as asked for, or as heard. A network that announces its name must be heard before anything is changed. */
async function securityToUse(wifi: Wifi, config: WiFiConfig): Promise<Security> {
  const stated = statedSecurity(config);
  if (config.is_hidden && stated) return stated;
  const offered = await offeredSecurities(wifi, config.ssid);
  const security = stated === undefined ? offered[0] : stated;
  if (security === undefined || offered.length === 0) {
    throw refusal('wifi_ssid_not_found');
  }
  if (!offered.some((each) => canServe(each, security))) {
    const message = `The network is secured with ${offered[0]}, not with ${security}.`;
    refuse([{ pointer: config.security === null ? '/eap_method' : '/security', message }]);
  }
  refuse(credentialFaults(config, security));
  return security;
}

/** Securities of the access points of this name, the strongest signal first; a scan is made when none is known. */
async function offeredSecurities(wifi: Wifi, ssid: string): Promise<Security[]> {
  for (const scan of [false, true]) {
    const { accessPoints } = await wifi.survey({ scan });
    const named = accessPoints.filter((each) => each.ssid === ssid).sort((a, b) => b.signal - a.signal);
    if (named.length > 0) return named.map((each) => each.security);
  }
  return [];
}

/** Access points that offer WPA2 and WPA3 are heard as `wpa-psk`. */
function canServe(offered: Security, wanted: Security): boolean {
  return offered === wanted || (wanted === 'sae' && offered === 'wpa-psk');
}

function refuse(faults: readonly Fault[]): void {
  const [first] = faults;
  if (first)
    throw new ServiceError('validation_failed', { detail: `${first.message} (${first.pointer})`, errors: faults });
}

function withWarning(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, message, errors, headers, cause } = error;
  const detail = `${message} The former connection does not stand again yet; NetworkManager keeps trying.`;
  return new ServiceError(code, { detail, headers, cause, ...(errors ? { errors } : {}) });
}
