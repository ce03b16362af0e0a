import { basename, dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { bootGuest, type Guest } from './guest.ts';
import { type HttpAnswer, http } from './http.ts';
import { freshEnvironment, runToEnd } from './process.ts';
import { ROOT } from './sources.ts';

export const SETTINGS_PATH = '/etc/robot-rest/robot-rest.env';
export const SETTINGS = `SERVICE_MODE=robot
SERVICE_ROBOT_URL=sim:
SERVICE_ALLOWED_UNITS=head=*.service
`;
export const INSTALL = '/root/build/deploy/install.sh';
/** An emulated computer may need longer to start and to end a unit than systemd gives a robot. */
const SLOW_MACHINE = '[Service]\nTimeoutStartSec=300\nTimeoutStopSec=120\n';

/** The service, and what stops the robot without it. */
export type Unit = 'robot-rest' | 'robot-rest-guard';

/** Builds the service where there is no present build, and makes a guest what a robot is before it is installed. */
export async function prepareMachine(guest: Guest): Promise<void> {
  await runToEnd(['api-key', 'list'], freshEnvironment());
  await guest.copy(dirname(process.execPath), [basename(process.execPath)], '/usr/bin');
  for (const unit of ['robot-rest', 'robot-rest-guard']) {
    await guest.put(`/etc/systemd/system/${unit}.service.d/slow-machine.conf`, SLOW_MACHINE);
  }
}

/** A guest on which the script has installed the present build. */
export class InstalledGuest {
  readonly guest: Guest;
  /** Where its TCP port is reached. */
  readonly network: string;
  /** Where its Unix socket is reached. */
  readonly socket: string;
  /** What the script printed. */
  readonly installed: string;
  /** Id of the build, as the script printed it. */
  readonly build: string;
  /** A token of level ENCHANTER. */
  readonly token: string;

  private constructor(parts: Pick<InstalledGuest, 'guest' | 'network' | 'socket' | 'installed' | 'token'>) {
    this.guest = parts.guest;
    this.network = parts.network;
    this.socket = parts.socket;
    this.installed = parts.installed;
    this.build = /^Installed: (.*)$/m.exec(parts.installed)?.[1] ?? '';
    this.token = parts.token;
  }

  /** Boots a guest and installs the service on it. @param prepare what is done before; gives the settings. */
  static async boot(prepare: (guest: Guest) => Promise<string> = async () => SETTINGS): Promise<InstalledGuest> {
    const guest = await bootGuest();
    try {
      await prepareMachine(guest);
      await guest.copy(join(ROOT, 'dist/current'), ['.'], '/root/build');
      await guest.put(SETTINGS_PATH, await prepare(guest));
      const installed = await guest.run(INSTALL);
      const network = await guest.reach('127.0.0.1:8000');
      const socket = await guest.reach('/tmp/rest_api.sock');
      const { token } = (await http(socket, '/api/v2/auth/')).json;
      return new InstalledGuest({ guest, network, socket, installed, token });
    } catch (error) {
      await guest.stop();
      throw error;
    }
  }

  /** Properties of the service's unit, as systemd tells them. */
  show(...properties: string[]): Promise<Record<string, string>> {
    return this.showUnit('robot-rest', ...properties);
  }

  async showUnit(unit: Unit, ...properties: string[]): Promise<Record<string, string>> {
    const lines = await this.guest.run(`systemctl show ${unit} -p ${properties.join(',')}`);
    return Object.fromEntries(
      lines
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );
  }

  /** A request over the network with the token of the guest. */
  asAdmin(path: string, call: { method?: string; body?: object } = {}): Promise<HttpAnswer> {
    const headers = { host: 'localhost', authorization: `Bearer ${this.token}` };
    return http(this.network, path, { ...call, headers });
  }

  /** A process is the service's own user's, without a privilege and without a way to one. */
  async expectUnprivileged(pid: string | undefined): Promise<void> {
    expect(await this.guest.run(`ps -o user:32=,group:32= -p ${pid} | xargs`)).toBe('robot-rest robot-rest\n');
    const rights = await this.guest.run(
      `grep -E '^(CapPrm|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/${pid}/status | tr -d '\t'`,
    );
    expect(rights.trim().split('\n')).toEqual([
      'CapPrm:0000000000000000',
      'CapEff:0000000000000000',
      'CapBnd:0000000000000000',
      'NoNewPrivs:1',
      'Seccomp:2',
    ]);
  }

  /** Neither systemd nor the memory limit has ended the service. */
  async expectNeverRestarted(): Promise<void> {
    const { NRestarts, ControlGroup } = await this.show('NRestarts', 'ControlGroup');
    expect(NRestarts).toBe('0');
    expect(await this.guest.run(`grep -E '^(max|oom_kill) ' /sys/fs/cgroup${ControlGroup}/memory.events`)).toBe(
      'max 0\noom_kill 0\n',
    );
  }
}
