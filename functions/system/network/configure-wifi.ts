import { type Fault, ServiceError } from '../../shared/errors.ts';
import { credentialFaults, statedSecurity } from './credential-rules.ts';
import { type CurrentConnection, refusal, type Security, type Wifi } from './port.ts';
import type { WiFiConfig } from './wifi-config.schema.ts';
import { isUnverified, profileOf } from './wifi-profile.ts';
import type { WifiRecord } from './wifi-record.ts';

/** Time limit for joining a network, from the first frame to the IP address. */
const JOIN_LIMIT_SECONDS = 45;
/** When the automatic rollback triggers: after any join has ended. 0 would mean never. */
const ROLLBACK_SECONDS = JOIN_LIMIT_SECONDS + 15;

interface ConfigureParts {
  readonly wifi: Wifi;
  readonly record: WifiRecord;
  /** Whether 802.1X is allowed without verifying the server (SERVICE_WIFI_ALLOW_UNVERIFIED_EAP). */
  readonly allowUnverifiedEap: boolean;
}

/**
 * Adds or replaces a network and connects to it, or keeps the previous connection (specification, section 4.6). Runs to
 * completion even if the caller hangs up, because it may be the caller's own link that changes.
 * @throws ServiceError `validation_failed`, `busy`, `component_unavailable`, and those of {@link Wifi.begin} and its
 * attempt.
 */
export async function configureWifi(parts: ConfigureParts, config: WiFiConfig): Promise<CurrentConnection> {
  assertNoFaults(await localFaults(parts, config));
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

/** Faults that only this machine can detect. */
async function localFaults({ wifi, allowUnverifiedEap }: ConfigureParts, config: WiFiConfig): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const field of ['ca_cert', 'client_cert', 'private_key'] as const) {
    const message = config[field] === null ? undefined : await wifi.certificateProblem(config[field]);
    if (message !== undefined) faults.push({ pointer: `/${field}`, message });
  }
  if (statedSecurity(config) === 'wpa-eap' && !allowUnverifiedEap && isUnverified(config)) {
    const message =
      'Without ca_cert, set domain_suffix_match or subject_match so that the password only goes to the right server. SERVICE_WIFI_ALLOW_UNVERIFIED_EAP=1 turns this check off.';
    faults.push({ pointer: '/domain_suffix_match', message });
  }
  return faults;
}

/** The requested or detected security. A network that is not hidden must be in range before anything is changed. */
async function securityToUse(wifi: Wifi, config: WiFiConfig): Promise<Security> {
  const stated = statedSecurity(config);
  if (config.is_hidden && stated) return stated;
  const offered = await offeredSecurities(wifi, config.ssid);
  const security = stated === undefined ? offered[0] : stated;
  if (security === undefined || offered.length === 0) {
    throw refusal('wifi_ssid_not_found');
  }
  if (!offered.some((each) => canServe(each, security))) {
    const message = `The network uses ${offered[0]}, not ${security}.`;
    assertNoFaults([{ pointer: config.security === null ? '/eap_method' : '/security', message }]);
  }
  assertNoFaults(credentialFaults(config, security));
  return security;
}

/** Securities of the access points with this name, strongest signal first; scans if none is known. */
async function offeredSecurities(wifi: Wifi, ssid: string): Promise<Security[]> {
  for (const scan of [false, true]) {
    const { accessPoints } = await wifi.survey({ scan });
    const named = accessPoints.filter((each) => each.ssid === ssid).sort((a, b) => b.signal - a.signal);
    if (named.length > 0) return named.map((each) => each.security);
  }
  return [];
}

/** Access points that offer both WPA2 and WPA3 are listed as `wpa-psk`. */
function canServe(offered: Security, wanted: Security): boolean {
  return offered === wanted || (wanted === 'sae' && offered === 'wpa-psk');
}

function assertNoFaults(faults: readonly Fault[]): void {
  const [first] = faults;
  if (first)
    throw new ServiceError('validation_failed', { detail: `${first.message} (${first.pointer})`, errors: faults });
}

function withWarning(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, message, errors, headers, cause } = error;
  const detail = `${message} The previous connection has not been restored yet; NetworkManager keeps trying.`;
  return new ServiceError(code, { detail, headers, cause, ...(errors ? { errors } : {}) });
}
