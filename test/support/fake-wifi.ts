import type {
  AccessPoint,
  Attempt,
  CurrentConnection,
  Security,
  Wifi,
  WifiProfile,
} from '../../functions/system/network/port.ts';
import type { LastConfigure, WifiRecord } from '../../functions/system/network/wifi-record.ts';

export const CONNECTION: CurrentConnection = {
  ssid: 'Kitchen',
  bssid: '02:00:00:00:00:01',
  signal: 70,
  frequency: 2412,
  security: 'wpa-psk',
  ipAddresses: ['192.0.2.5'],
};

export function heard(ssid: string, security: Security, signal = 50): AccessPoint {
  return { ssid, security, signal, bssid: '02:00:00:00:00:01', frequency: 2412, inUse: false, saved: false };
}

/** A radio whose every step can be made to fail, and that writes down what is done to it. */
export class FakeWifi implements Wifi {
  readonly kind = 'simulated';
  readonly steps: string[] = [];
  profile: WifiProfile | undefined;
  /** What is heard without a scan, and after one. */
  known: AccessPoint[] = [heard('Kitchen', 'wpa-psk')];
  scanned: AccessPoint[] = this.known;
  fail: Partial<Record<'survey' | 'begin' | 'join' | 'keep', Error>> = {};
  comesBack = true;
  wait: Promise<void> = Promise.resolve();

  async survey({ scan }: { readonly scan: boolean }) {
    if (scan) this.#step('survey', 'scan');
    return { current: null, accessPoints: scan ? this.scanned : this.known, scannedAt: null };
  }

  async certificateProblem(path: string) {
    return path.startsWith('/etc/ssl/certs/') ? undefined : 'There is no such file.';
  }

  async begin(rollbackSeconds: number): Promise<Attempt> {
    this.#step('begin', `begin ${rollbackSeconds}`);
    return {
      join: async (profile, limitSeconds) => {
        this.profile = profile;
        await this.wait;
        this.#step('join', `join ${limitSeconds}`);
        return CONNECTION;
      },
      keep: async () => this.#step('keep', 'keep'),
      undo: async () => {
        this.steps.push('undo');
        return this.comesBack;
      },
    };
  }

  close(): void {}

  #step(which: keyof FakeWifi['fail'], name: string): void {
    this.steps.push(name);
    const error = this.fail[which];
    if (error) throw error;
  }
}

/** A record in memory that takes everything. */
export class FakeRecord implements WifiRecord {
  latest: LastConfigure | null = null;

  async last() {
    return this.latest;
  }

  async start(ssid: string) {
    this.latest = { ssid, outcome: 'in_progress', finished_at: null };
  }

  async finish(outcome: 'connected' | 'failed', code?: string) {
    const ssid = this.latest?.ssid ?? '';
    this.latest = { ssid, outcome, ...(code === undefined ? {} : { code }), finished_at: '2026-01-01T00:00:00.000Z' };
  }

  close(): void {}
}
