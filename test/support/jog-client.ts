import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from './processes.ts';
import { ROOT } from './sources.ts';

/** A process of its own that holds a stick forward. */
export class JogClient {
  readonly #child: ChildProcess;
  readonly #said: string[] = [];

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#said.push(...text.trim().split('\n')));
  }

  /** Settles when it drives. */
  static async start(url: string, token: string, lease: string): Promise<JogClient> {
    const script = join(ROOT, 'test', 'support', 'jog-client.mjs');
    const client = new JogClient(
      spawn(process.execPath, [script, url, token, lease], { stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    try {
      await until('the client drives', () => client.said.includes('driving'), 60_000);
    } catch (error) {
      await client.kill();
      throw new Error(`it said: ${client.said.join(', ')}`, { cause: error });
    }
    return client;
  }

  /** What it was told last, newest at the end: `driving`, the code of a refusal, `closed 1006`. */
  get said(): readonly string[] {
    return this.#said;
  }

  /** It hears and sends nothing; its connection stays. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
