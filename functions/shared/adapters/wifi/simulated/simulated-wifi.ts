import { setTimeout as sleep } from 'node:timers/promises';
import { certificateFault } from '../certificate-file.ts';
import {
  type AccessPoint,
  type Attempt,
  type Credentials,
  type CurrentConnection,
  refusal,
  type Survey,
  type Wifi,
  type WifiProfile,
} from '../port.ts';
import { NETWORKS, type SimulatedNetwork } from './networks.ts';

/** How long simulated radio work takes, in ms. */
export interface SimulatedPace {
  readonly scan: number;
  readonly join: number;
}

const PACE: SimulatedPace = { scan: 400, join: 800 };

/** A radio that exists only here: it changes nothing on this machine, and says so by its kind. */
export class SimulatedWifi implements Wifi {
  readonly kind = 'simulated';
  readonly #dataFolder: string;
  readonly #clock: () => number;
  readonly #pace: SimulatedPace;
  #saved: ReadonlySet<string> = new Set(['Robot Lab']);
  #connected: SimulatedNetwork | undefined = NETWORKS[0];
  #scannedAt: number | null = null;

  constructor(dataFolder: string, clock: () => number, pace: SimulatedPace = PACE) {
    this.#dataFolder = dataFolder;
    this.#clock = clock;
    this.#pace = pace;
  }

  async survey({ scan }: { readonly scan: boolean }): Promise<Survey> {
    if (scan) {
      await sleep(this.#pace.scan);
      this.#scannedAt = this.#clock();
    }
    return {
      current: this.#current(),
      accessPoints: NETWORKS.map((each) => this.#heard(each)),
      scannedAt: this.#scannedAt,
    };
  }

  certificateFault(path: string): Promise<string | undefined> {
    return certificateFault(path, this.#dataFolder);
  }

  async begin(): Promise<Attempt> {
    const former = this.#connected;
    let tried: string | undefined;
    return {
      join: async (profile) => {
        tried = profile.ssid;
        this.#connected = undefined;
        await sleep(this.#pace.join);
        this.#connected = enter(profile);
        const current = this.#current();
        if (!current) throw refusal('wifi_timeout');
        return current;
      },
      keep: async () => {
        if (tried !== undefined) this.#saved = new Set([...this.#saved, tried]);
      },
      undo: async () => {
        this.#connected = former;
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

  #heard(network: SimulatedNetwork): AccessPoint {
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

/** The network that lets this profile in. Throws what a real one would give. */
function enter({ ssid, hidden, band, credentials }: WifiProfile): SimulatedNetwork {
  const network = NETWORKS.find((each) => each.ssid === ssid && (hidden || !each.hidden));
  const inBand = !network || band === null || (band === 'bg') === network.frequency < 2500;
  if (!network || !inBand || network.security !== credentials.kind) throw refusal('wifi_ssid_not_found');
  if (!fits(network, credentials)) {
    throw refusal(credentials.kind === 'wpa-eap' ? 'wifi_eap_rejected' : 'wifi_wrong_password');
  }
  if (network.address === null) throw refusal('wifi_no_address');
  return network;
}

function fits(network: SimulatedNetwork, credentials: Credentials): boolean {
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
