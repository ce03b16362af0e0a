import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { until } from './processes.ts';
import { ROOT } from './sources.ts';
import { type RunningProgram, startSystemProgram } from './system-programs.ts';
import { temporaryFolder } from './world.ts';

const execute = promisify(execFile);

/** Processor time in which an emulated computer has booted: 100 s are usual. A busy machine takes longer to give it that. */
const BOOT_CPU_MS = 420_000;
/** Nothing is waited for longer than this, however busy the machine is. */
const BOOT_LIMIT_MS = 2_400_000;
/** A connection to a computer that has little processor time takes a while. */
const ATTEMPT_MS = 90_000;
/** How long a test file should let its guest boot. */
export const BOOT_TIMEOUT_MS = 2_700_000;
/** Longest time one step takes in an emulated computer on a busy machine, in ms. */
export const PATIENCE = 400_000;

/** A unit that has not made it in time is started again; one that still fails is told, with its log. */
const ALL_UNITS_UP = `
failed() { systemctl list-units --failed --plain --no-legend | cut -d' ' -f1; }
for attempt in 1 2 3; do
  systemctl is-system-running --wait > /dev/null && exit
  systemctl restart $(failed)
done
for unit in $(failed); do systemctl status --no-pager --full "$unit" >&2; done
systemctl is-system-running --wait`;

/** A running guest: a computer with a real systemd, journal, NetworkManager and Wi-Fi, at the far end of an SSH connection. */
export interface Guest {
  /** The settings of a service whose base computer and whose NetworkManager this is. */
  readonly settings: Readonly<Record<string, string>>;
  /** The certification authority of the company's network, PEM. */
  readonly authority: string;
  /** What a line of shell prints over there. @throws when it ends with another code than 0. */
  run(line: string): Promise<string>;
  /** Writes a file over there, below new folders if need be. */
  put(path: string, content: string): Promise<void>;
  /** Copies files or folders (`.` is all) of a folder here into a folder over there, links followed. */
  copy(from: string, names: readonly string[], to: string): Promise<void>;
  /** @returns a Unix socket here that leads to a Unix socket, or to `host:port`, over there. */
  reach(remote: string): Promise<string>;
  /** Makes a port of this computer's loopback address reachable at that of the guest, under the same number. */
  offer(port: number): Promise<void>;
  /** Ends it, and with it everything that belongs to it. */
  stop(): Promise<void>;
}

/** Builds the guest where that has not been done, boots it and waits until all of its units are up. */
export async function bootGuest(): Promise<Guest> {
  const image = build();
  const folder = temporaryFolder('robot-rest-guest-');
  const port = await freePort();
  const machine = startMachine(image, folder, port);
  const programs: RunningProgram[] = [machine];
  const stop = async () => {
    for (const program of programs.reverse()) await program.stop();
  };
  const hostKey = readFileSync(join(image, 'host.pub'), 'utf8').trim();
  writeFileSync(join(folder, 'known_hosts'), `[127.0.0.1]:${port} ${hostKey}\n`);
  const control = join(folder, 'control');
  const bus = join(folder, 'bus');
  const options = [
    ...['-F', 'none', '-i', join(image, 'id'), '-p', String(port), '-o', `UserKnownHostsFile=${folder}/known_hosts`],
    ...['-o', 'IdentitiesOnly=yes', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=60', '-S', control],
  ];
  const ssh = (...words: string[]) => [...options, ...words];

  async function run(line: string, input?: string): Promise<string> {
    const work = execute('ssh', ssh('root@127.0.0.1', line), { maxBuffer: 16 << 20 });
    work.child.stdin?.end(input ?? '');
    return (await work).stdout;
  }

  try {
    await until(
      'the guest to let us in over SSH',
      async () => {
        if (machine.child.exitCode !== null) throw new Error(`QEMU ended: ${readFileSync(machine.logPath, 'utf8')}`);
        if (processorMs(machine.child.pid) > BOOT_CPU_MS) throw new Error(`the guest does not boot: ${folder}`);
        const attempt = execute('ssh', ssh('root@127.0.0.1', 'true'), { timeout: ATTEMPT_MS });
        return attempt.then(
          () => true,
          () => false,
        );
      },
      BOOT_LIMIT_MS,
    );
    const forward = ['-M', '-N', '-L', `${bus}:/run/dbus/system_bus_socket`, 'root@127.0.0.1'];
    programs.push(startSystemProgram('ssh', ssh(...forward), { folder }));
    await until('the system bus of the guest', () => existsSync(bus) && existsSync(control), ATTEMPT_MS);
    await run(ALL_UNITS_UP);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    settings: {
      DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${bus}`,
      SERVICE_BASE_HOST: '127.0.0.1',
      SERVICE_BASE_PORT: String(port),
      SERVICE_BASE_USER: 'root',
      SERVICE_BASE_KEY_PATH: join(image, 'id'),
      SERVICE_BASE_HOST_KEY: hostKey,
    },
    authority: readFileSync(join(image, 'ca.pem'), 'utf8'),
    run,
    async put(path, content) {
      await run(`mkdir -p "$(dirname '${path}')" && cat > '${path}'`, content);
    },
    async copy(from, names, to) {
      const archive = spawn('tar', ['-C', from, '-c', '-h', ...names], { stdio: ['ignore', 'pipe', 'inherit'] });
      const unpack = `mkdir -p '${to}' && tar -C '${to}' --no-same-owner -x`;
      const work = execute('ssh', ssh('root@127.0.0.1', unpack));
      if (work.child.stdin) await pipeline(archive.stdout, work.child.stdin);
      await work;
    },
    async reach(remote) {
      const local = join(folder, `reach-${randomUUID().slice(0, 8)}`);
      await execute('ssh', ssh('-O', 'forward', '-L', `${local}:${remote}`, 'root@127.0.0.1'));
      return local;
    },
    async offer(port) {
      await execute('ssh', ssh('-O', 'forward', '-R', `127.0.0.1:${port}:127.0.0.1:${port}`, 'root@127.0.0.1'));
    },
    stop,
  };
}

/** @returns the folder of the image. */
function build(): string {
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'test/guest/build-guest.sh'), { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the guest could not be built: ${stderr}`);
  return stdout.trim();
}

/** Processor time that a process has used, in ms. */
function processorMs(pid: number | undefined): number {
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/.*\) /s);
  const [user, system] = after.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) * 10; // USER_HZ is 100 on every Linux
}

/** Without KVM, which is not everywhere; it ends when this process does. */
function startMachine(image: string, folder: string, port: number): RunningProgram {
  const wrapped = ['--pdeathsig', 'KILL', 'qemu-system-x86_64'];
  const computer = [
    '-M',
    'q35',
    '-accel',
    'tcg',
    '-cpu',
    'max',
    '-smp',
    '2',
    '-m',
    '3072',
    '-nodefaults',
    '-no-reboot',
  ];
  const kernel = 'console=ttyS0 rdinit=/init systemd.show_status=0 systemd.default_timeout_start_sec=900 net.ifnames=0';
  const system = ['-kernel', join(image, 'vmlinuz'), '-initrd', join(image, 'root.cpio.zst'), '-append', kernel];
  const network = `user,id=n0,restrict=on,hostfwd=tcp:127.0.0.1:${port}-:22`;
  const devices = ['-netdev', network, '-device', 'virtio-net-pci,netdev=n0,romfile='];
  const console = ['-display', 'none', '-serial', `file:${join(folder, 'console.log')}`];
  return startSystemProgram('setpriv', [...wrapped, ...computer, ...system, ...devices, ...console], { folder });
}
