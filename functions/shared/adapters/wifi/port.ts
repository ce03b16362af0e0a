import { type ErrorCode, ServiceError } from '../../errors.ts';

/** How a network is secured, as far as this service can tell; `other` is a kind it cannot configure (WEP for instance). */
export const SECURITIES = ['open', 'owe', 'wpa-psk', 'sae', 'wpa-eap', 'other'] as const;
export type Security = (typeof SECURITIES)[number];

/** One access point as the last scan heard it. */
export interface AccessPoint {
  /** Empty when the network hides its name. */
  readonly ssid: string;
  readonly bssid: string;
  /** Percent, 0 to 100. */
  readonly signal: number;
  /** MHz. */
  readonly frequency: number;
  readonly security: Security;
  readonly inUse: boolean;
  /** A stored profile has this name. */
  readonly saved: boolean;
}

/** The network in use. `bssid` and what follows from it are null while the radio cannot tell. */
export interface CurrentConnection {
  readonly ssid: string;
  readonly bssid: string | null;
  readonly signal: number | null;
  readonly frequency: number | null;
  readonly security: Security | null;
  readonly ipAddresses: readonly string[];
}

export interface Survey {
  readonly current: CurrentConnection | null;
  readonly accessPoints: readonly AccessPoint[];
  /** When the list was heard, in ms since the epoch; null before the first scan. */
  readonly scannedAt: number | null;
}

/** 802.1X as asked for; paths have been checked, names are those of the specification, section 2.2. */
export interface EapProfile {
  readonly kind: 'wpa-eap';
  readonly method: 'PEAP' | 'TTLS' | 'FAST' | 'PWD';
  readonly phase2: 'MSCHAPV2' | 'GTC' | 'PAP' | 'CHAP' | 'EAP' | null;
  readonly identity: string;
  readonly password: string;
  readonly anonymousIdentity: string | null;
  readonly caCert: string | null;
  /** Without `caCert`: whether the server is checked against the CAs of the system. */
  readonly systemCas: boolean;
  readonly clientCert: string | null;
  readonly privateKey: string | null;
  readonly privateKeyPassword: string | null;
  readonly subjectMatch: string | null;
  readonly domainSuffixMatch: string | null;
}

export type Credentials =
  | { readonly kind: 'open' | 'owe' }
  | { readonly kind: 'wpa-psk' | 'sae'; readonly password: string }
  | EapProfile;

/** What is needed to join a network. */
export interface WifiProfile {
  readonly ssid: string;
  readonly hidden: boolean;
  /** `a` is 5 GHz, `bg` is 2.4 GHz; null is whichever is better. */
  readonly band: 'a' | 'bg' | null;
  readonly credentials: Credentials;
}

/**
 * A change of the connection under a safety net: until {@link Attempt.keep} has answered, what was before comes back,
 * by {@link Attempt.undo} or by itself when the rollback time is over, even if this process dies.
 */
export interface Attempt {
  /**
   * Joins with a new profile that does not connect by itself yet, and leaves every other profile as it is.
   * @throws ServiceError `wifi_wrong_password`, `wifi_eap_rejected`, `wifi_ssid_not_found`, `wifi_no_address`,
   * `wifi_timeout` after `limitSeconds`, `validation_failed`, `conflict`, `component_unavailable`.
   */
  join(profile: WifiProfile, limitSeconds: number): Promise<CurrentConnection>;
  /** Stores the new profile for good, takes the safety net away, and only then removes older profiles of that name. */
  keep(): Promise<void>;
  /** Goes back to what was before. Answers whether that connection stands again. Never throws. */
  undo(): Promise<boolean>;
}

/** The robot's Wi-Fi. Errors of all: `component_unavailable`. */
export interface Wifi {
  readonly kind: 'simulated' | 'network-manager';
  /**
   * The networks around and the one in use. With `scan` it listens anew first; a scan refused because one just ran
   * gives the present list with its true time, and one that failed is an error.
   */
  survey(options: { readonly scan: boolean }): Promise<Survey>;
  /** Why this file cannot be used as a certificate or key (a sentence), or undefined. Only files below the allowed folders can. */
  certificateFault(path: string): Promise<string | undefined>;
  /**
   * Spreads the safety net; nothing is changed yet. A network that was joined shortly before may be joined once more
   * first, so that there is a way back to it.
   * @throws ServiceError `busy` while an earlier attempt is being undone; without a safety net `component_unavailable`.
   */
  begin(rollbackSeconds: number): Promise<Attempt>;
  /** Drops what is open. An attempt under way is undone by the safety net. */
  close(): void;
}

/** What a network, or somebody else, can do to an attempt to join. */
export type RefusalCode = Extract<
  ErrorCode,
  'wifi_wrong_password' | 'wifi_eap_rejected' | 'wifi_ssid_not_found' | 'wifi_no_address' | 'wifi_timeout' | 'conflict'
>;

const DETAILS: Readonly<Record<RefusalCode, string>> = {
  wifi_wrong_password: 'The network refused the password, or broke off the handshake that proves it.',
  wifi_eap_rejected:
    'The network refused the identity, password or certificates, or its server is not the one that was asked for.',
  wifi_ssid_not_found: 'No network of this name was heard. Check the name and the distance, and is_hidden.',
  wifi_no_address: 'The network let the robot in but gave it no address (DHCP).',
  wifi_timeout: 'The network did not answer in time. It may be too far away.',
  conflict: 'Someone else changed the connection of this robot meanwhile.',
};

/** The error of a join that was refused. */
export function refusal(code: RefusalCode): ServiceError {
  return new ServiceError(code, { detail: DETAILS[code] });
}
