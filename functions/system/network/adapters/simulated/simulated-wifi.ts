import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AccessPoint,
  type Attempt,
  type Credentials,
  type CurrentConnection,
  refusal,
  type Survey,
  type Wifi,
  type WifiProfile,
} from '../../port.ts';
import { certificateProblem } from '../certificate-file.ts';
import { NETWORKS, type SimulatedNetwork } from './networks.ts';

/** How long simulated operations take. */
interface SimulatedDelays {
  readonly scanMs: number;
  readonly joinMs: number;
}

const DELAYS: SimulatedDelays = { scanMs: 400, joinMs: 800 };

/** A simulated radio. Changes nothing on this machine, and is recognizable by its `kind`. */
export class SimulatedWifi implements Wifi {
  readonly kind = 'simulated';
  readonly #dataFolder: string;
  readonly #clock: () => number;
  readonly #delays: SimulatedDelays;
  #saved: ReadonlySet<string> = new Set(['Robot Lab']);
  #connected: SimulatedNetwork | undefined = NETWORKS[0];
  #scannedAt: number | null = null;

  constructor(dataFolder: string, clock: () => number, delays: SimulatedDelays = DELAYS) {
    this.#dataFolder = dataFolder;
    this.#clock = clock;
    this.#delays = delays;
  }

  async survey({ scan }: { readonly scan: boolean }): Promise<Survey> {
    if (scan) {
      await sleep(this.#delays.scanMs);
      this.#scannedAt = this.#clock();
    }
    return {
      current: this.#current(),
      accessPoints: NETWORKS.map((each) => this.#accessPoint(each)),
      scannedAt: this.#scannedAt,
    };
  }

  certificateProblem(path: string): Promise<string | undefined> {
    return certificateProblem(path, this.#dataFolder);
  }

  async begin(): Promise<Attempt> {
    const previous = this.#connected;
    let tried: string | undefined;
    return {
      join: async (profile) => {
        tried = profile.ssid;
        this.#connected = undefined;
        await sleep(this.#delays.joinMs);
        this.#connected = findNetwork(profile);
        const current = this.#current();
        if (!current) throw refusal('wifi_timeout');
        return current;
      },
      keep: async () => {
        if (tried !== undefined) this.#saved = new Set([...this.#saved, tried]);
      },
      undo: async () => {
        this.#connected = previous;
        return true;
      },
    };
  }

  close(): void {}

  #current(): CurrentConnection | null {
    const network = this.#connected;
    if (!network) return null;
    const { ssid, bssid, signal, frequency, security, address } = network;
    return { ssid, bssid, signal, frequency, security, ipAddresses: address === null ? [] : [address] };
  }

  #accessPoint(network: SimulatedNetwork): AccessPoint {
    const { bssid, signal, frequency, security, hidden } = network;
    const ssid = hidden && network !== this.#connected ? '' : network.ssid;
    return {
      ssid,
      bssid,
      signal,
      frequency,
      security,
      inUse: network === this.#connected,
      saved: this.#saved.has(ssid),
    };
  }
}

/** The network that accepts this profile. Throws the errors a real one would cause. */
function findNetwork({ ssid, hidden, band, credentials }: WifiProfile): SimulatedNetwork {
  const network = NETWORKS.find((each) => each.ssid === ssid && (hidden || !each.hidden));
  if (!network || (band !== null && band !== bandOf(network.frequency)) || network.security !== credentials.kind)
    throw refusal('wifi_ssid_not_found');
  if (!credentialsMatch(network, credentials)) {
    throw refusal(credentials.kind === 'wpa-eap' ? 'wifi_eap_rejected' : 'wifi_wrong_password');
  }
  if (network.address === null) throw refusal('wifi_no_address');
  return network;
}

/** The band of a frequency in MHz, as NetworkManager names it. */
function bandOf(frequency: number): WifiProfile['band'] {
  if (frequency < 2500) return 'bg';
  return frequency < 5925 ? 'a' : '6GHz';
}

function credentialsMatch(network: SimulatedNetwork, credentials: Credentials): boolean {
  switch (credentials.kind) {
    case 'open':
    case 'owe':
      return true;
    case 'wpa-psk':
    case 'sae':
      return credentials.password === network.password;
    case 'wpa-eap':
      return credentials.password === network.password && credentials.identity === network.identity;
  }
}
