import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bootGuest, type Guest } from './guest.ts';
import { prepareMachine, SETTINGS_PATH } from './installed-guest.ts';
import { freshEnvironment } from './process.ts';
import { ROOT } from './sources.ts';
import { fill, type Typed } from './typed-documents.ts';
import { temporaryFolder } from './world.ts';

/** What one block of a document leaves to the next. */
const VARIABLES = 'CURL_CA_BUNDLE ROBOT JSON KEY TOKEN BACKUP SEND';
/** The guest has no sudo; whoever types there is root. */
const SUDO = '/usr/local/bin/sudo';

/** Of a robot that has the units that docs/operating.md names, as far as a robot has them. */
const SETTINGS = `SERVICE_ROBOT_URL=sim:
SERVICE_ALLOWED_UNITS="head=robot-rest*.service;base=nav.service"
`;

interface Typing {
  /** Values of this robot in place of those of the document. */
  readonly values?: Readonly<Record<string, string>>;
  /** A key that is pasted when the script asks for one; one that is shown is pasted next. */
  readonly key?: string;
}

/** A guest without the service, and a machine of its operator: a folder, and a bash whose curl finds the guest. */
export class OperatedGuest {
  readonly guest: Guest;
  readonly folder: string;
  /** The scripts of documents that were typed to their ends. */
  readonly typed = new Set<string>();
  readonly #state: string;

  private constructor(guest: Guest, folder: string) {
    this.guest = guest;
    this.folder = folder;
    this.#state = join(folder, '.state');
  }

  static async boot(): Promise<OperatedGuest> {
    const folder = temporaryFolder();
    const guest = await bootGuest();
    try {
      await prepareMachine(guest);
      await guest.put(SUDO, '#!/bin/sh\nexec "$@"\n');
      await guest.run(`chmod 755 ${SUDO}`);
      symlinkSync(join(ROOT, 'dist'), join(folder, 'dist'));
      writeFileSync(join(folder, '.curlrc'), `unix-socket = "${await guest.reach('127.0.0.1:8443')}"\n`);
      writeFileSync(join(folder, '.state'), '');
      return new OperatedGuest(guest, folder);
    } catch (error) {
      await guest.stop();
      throw error;
    }
  }

  /** Types what a document says, where it says. @returns what was printed. @throws when a line of it fails. */
  async type({ where, script }: Typed, { values = {}, key }: Typing = {}): Promise<string> {
    const lines = fill(script, values);
    const printed =
      where === 'on the robot'
        ? await this.guest.run(`set -e\n${lines}`)
        : await this.here(lines.replaceAll('robot.local', 'base.local'), key);
    this.typed.add(script);
    return printed;
  }

  /** Types something on the operator's machine. */
  here(script: string, key?: string): Promise<string> {
    const state = `declare -p ${VARIABLES} 2>/dev/null >'${this.#state}' || true; declare -f >>'${this.#state}'`;
    const words = ['--norc', '-euo', 'pipefail', '-c', `. '${this.#state}'\n${script}\n${state}`];
    const env = { ...freshEnvironment({ HOME: this.folder }), CURL_HOME: this.folder };
    const child = spawn('bash', words, { cwd: this.folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
    let [printed, complaints, shown] = ['', '', ''];
    child.stdin.on('error', () => undefined); // it has asked for nothing
    if (key !== undefined) child.stdin.write(`${key}\n`);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const [, next = ''] = /"key":"([^"]+)"/.exec(printed) ?? [];
      if (next === shown) return;
      shown = next;
      child.stdin.write(`${next}\n`);
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) =>
        code === 0 ? resolve(printed) : reject(new Error(`${script}: code ${code}\n${printed}${complaints}`)),
      );
    });
  }

  /** Copies a file of the robot's root to the operator's machine. */
  async bring(name: string): Promise<void> {
    writeFileSync(join(this.folder, name), await this.guest.run(`cat /root/${name}`));
  }

  /** Copies a file of the operator's machine to the robot. */
  async take(name: string): Promise<void> {
    const path = join(this.folder, name);
    await this.guest.copy(dirname(path), [basename(path)], '/root');
  }

  /** Says how the service reaches its robot, as an operator would with an editor. */
  writeSettings(more = ''): Promise<void> {
    return this.guest.put(SETTINGS_PATH, `${SETTINGS}${more}`);
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }
}
