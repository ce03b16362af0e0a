import { PATIENCE } from './guest.ts';
import { InstalledGuest, SETTINGS } from './installed-guest.ts';
import { until } from './processes.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Answer = any;

const UNDER_WAY = new Set(['starting', 'running', 'stopping']);

/** An installed service whose skills run in units of its systemd. */
export class RunGuest {
  readonly world: InstalledGuest;

  private constructor(world: InstalledGuest) {
    this.world = world;
  }

  static async boot(settings = ''): Promise<RunGuest> {
    const guest = new RunGuest(await InstalledGuest.boot(async () => `${SETTINGS}${settings}`));
    // The first question waits for the answer of a unit that looks at its own walls.
    guest.writeBody('nothing', 'return None');
    return guest;
  }

  /** What a line of shell prints over there. */
  sh(line: string): Promise<string> {
    return this.world.guest.run(line);
  }

  /** Puts a skill of one function without arguments into the folder; its body is indented. */
  writeBody(name: string, body: string): Promise<void> {
    const lines = body.split('\n').map((line) => `    ${line}`);
    const source = `from robot_rest import skill\n\n@skill\nasync def ${name}(robot):\n${lines.join('\n')}\n`;
    return this.world.guest.put(`/var/lib/robot-rest/skills/${name}.py`, source);
  }

  /** Asks for a run. */
  post(skill: string, others: object = {}): Promise<Answer> {
    return this.world.asAdmin('/api/v2/runs/', { method: 'POST', body: { skill, ...others } });
  }

  /** Writes a skill and starts a run of it. @returns its id. @throws if it is refused. */
  async start(skill: string, body: string, others: object = {}): Promise<string> {
    await this.writeBody(skill, body);
    const { status, text, json } = await this.post(skill, others);
    if (status !== 201) throw new Error(`${skill} was not started: ${text}`);
    return json.id;
  }

  async read(id: string): Promise<Answer> {
    return (await this.world.asAdmin(`/api/v2/runs/${id}`)).json;
  }

  /** Waits until a run has printed a line. */
  async printed(id: string, line: string): Promise<void> {
    const hasPrinted = async () => {
      const { json } = await this.world.asAdmin(`/api/v2/runs/${id}/logs`);
      if (json.entries.some(({ message }: { message: string }) => message === line)) return true;
      const run = await this.read(id);
      if (!UNDER_WAY.has(run.state)) throw new Error(`the run has ended: ${JSON.stringify(run)}`);
      return false;
    };
    await until(`the run prints ${line}`, hasPrinted, PATIENCE);
  }

  /** Waits for the end of a run. @returns its record. */
  async ended(id: string): Promise<Answer> {
    await until(`run ${id} has ended`, async () => !UNDER_WAY.has((await this.read(id)).state), PATIENCE);
    return this.read(id);
  }

  /** Writes a skill, runs it, and waits for its end. */
  async complete(skill: string, body: string, others: object = {}): Promise<Answer> {
    return this.ended(await this.start(skill, body, others));
  }

  /** Waits until nothing of a run is left on the computer: no process, unit, folder or mount. */
  async gone(id: string): Promise<void> {
    const left = [
      `systemctl list-units --all --plain --no-legend 'robot-skill*${id}*'`,
      `ls -d /sys/fs/cgroup/system.slice/*/*${id}* /run/robot-rest-runs/${id} /run/robot-skill/tmp/${id} 2>/dev/null`,
      `grep ${id} /proc/self/mounts`,
    ];
    await until('nothing of the run is left', async () => (await this.sh(`${left.join('; ')}; true`)) === '', PATIENCE);
  }
}
