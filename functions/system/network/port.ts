import { type ErrorCode, ServiceError } from '../../shared/errors.ts';

/** The security of a network; `other` is a kind that this service cannot configure, such as WEP. */
const SECURITIES = ['open', 'owe', 'wpa-psk', 'sae', 'wpa-eap', 'other'] as const;
export type Security = (typeof SECURITIES)[number];

/** An access point found by the last scan. */
export interface AccessPoint {
  /** Empty if the network is hidden. */
  readonly ssid: string;
  readonly bssid: string;
  /** Percent, 0 to 100. */
  readonly signal: number;
  /** MHz. */
  readonly frequency: number;
  readonly security: Security;
  readonly inUse: boolean;
  /** Whether there is a stored profile with this name. */
  readonly saved: boolean;
}

/** The network in use. `bssid`, `signal`, `frequency` and `security` are null if unknown. */
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
  /** Time of the last scan, in ms since the epoch; null before the first scan. */
  readonly scannedAt: number | null;
}

/** 802.1X credentials with validated paths; names as in the specification, section 2.2. */
export interface EapProfile {
  readonly kind: 'wpa-eap';
  readonly method: 'PEAP' | 'TTLS' | 'FAST' | 'PWD';
  readonly phase2: 'MSCHAPV2' | 'GTC' | 'PAP' | 'CHAP' | 'EAP' | null;
  readonly identity: string;
  readonly password: string;
  readonly anonymousIdentity: string | null;
  readonly caCert: string | null;
  /** Without `caCert`: whether to verify the server against the system's CAs. */
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
  /** As NetworkManager names them: `a` is 5 GHz, `bg` is 2.4 GHz; null means whichever is better. */
  readonly band: 'a' | 'bg' | '6GHz' | null;
  readonly credentials: Credentials;
}

/**
 * A change to the connection with automatic rollback: until {@link Attempt.keep} has settled, the previous connection
 * is restored by {@link Attempt.undo} or automatically after the rollback time, even if this process dies.
 */
export interface Attempt {
  /**
   * Joins with a new profile that has autoconnect off for now, and leaves all other profiles unchanged.
   * @throws ServiceError `wifi_wrong_password`, `wifi_eap_rejected`, `wifi_ssid_not_found`, `wifi_no_address`,
   * `wifi_timeout` after `limitSeconds`, `validation_failed`, `conflict`, `component_unavailable`.
   */
  join(profile: WifiProfile, limitSeconds: number): Promise<CurrentConnection>;
  /** Stores the new profile permanently, cancels the rollback, and only then removes older profiles of that name. */
  keep(): Promise<void>;
  /** Restores the previous connection. @returns whether it is up again. Never throws. */
  undo(): Promise<boolean>;
}

/** The robot's Wi-Fi. All methods throw ServiceError `component_unavailable`. */
export interface Wifi {
  readonly kind: 'simulated' | 'network-manager';
  /**
   * The networks in range and the one in use. With `scan` it scans first. If a scan is refused because another has just
   * run, it returns the existing list with its true time; a failed scan is an error.
   */
  survey(options: { readonly scan: boolean }): Promise<Survey>;
  /** Why this file cannot be used as a certificate or key (a sentence), or undefined. Only allows certain folders. */
  certificateProblem(path: string): Promise<string | undefined>;
  /**
   * Sets up the automatic rollback; changes nothing yet. A network that was joined recently may be joined again first,
   * so that it can be rolled back to.
   * @throws ServiceError `busy` while an earlier attempt is being undone; `component_unavailable` if rollback is not
   * possible.
   */
  begin(rollbackSeconds: number): Promise<Attempt>;
  /** Closes all connections. An attempt in progress is rolled back automatically. */
  close(): void;
}

/** Reasons why joining a network can fail that are not faults of this machine. */
export type RefusalCode = Extract<
  ErrorCode,
  'wifi_wrong_password' | 'wifi_eap_rejected' | 'wifi_ssid_not_found' | 'wifi_no_address' | 'wifi_timeout' | 'conflict'
>;

const DETAILS: Readonly<Record<RefusalCode, string>> = {
  wifi_wrong_password: 'The network rejected the password or aborted the handshake.',
  wifi_eap_rejected:
    'The network rejected the identity, password or certificates, or its server could not be verified.',
  wifi_ssid_not_found: 'No network with this name was found. Check the name, the distance and is_hidden.',
  wifi_no_address: 'The robot joined the network but got no IP address (DHCP).',
  wifi_timeout: 'The network did not respond in time. It may be too far away.',
  conflict: "Someone else changed the robot's connection in the meantime.",
};

/** The error for a failed join. */
export function refusal(code: RefusalCode): ServiceError {
  return new ServiceError(code, { detail: DETAILS[code] });
}
