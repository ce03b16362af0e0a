import { setTimeout as sleep } from 'node:timers/promises';
import { type Guest, PATIENCE } from './guest.ts';
import { type HttpAnswer, http } from './http.ts';
import { InstalledGuest } from './installed-guest.ts';
import { startMosquitto, type TestBroker } from './mosquitto.ts';
import { until } from './processes.ts';
import { PythonRobot, ROBOTS } from './python-robot.ts';

const CLIENT = { host: 'localhost' };

/** The installed service and its guard on a guest, with a robot and its broker on this computer. */
export class GuardedGuest {
  readonly installed: InstalledGuest;
  readonly guest: Guest;
  readonly robot: PythonRobot;
  /** A token of the first API key, as anybody on the network gets one. */
  readonly token: string;
  readonly #broker: TestBroker;
  readonly #stopPort: string;
  readonly #stopSocket: string;

  private constructor(parts: {
    installed: InstalledGuest;
    robot: PythonRobot;
    broker: TestBroker;
    token: string;
    stopPort: string;
    stopSocket: string;
  }) {
    this.installed = parts.installed;
    this.guest = parts.installed.guest;
    this.robot = parts.robot;
    this.token = parts.token;
    this.#broker = parts.broker;
    this.#stopPort = parts.stopPort;
    this.#stopSocket = parts.stopSocket;
  }

  static async boot(): Promise<GuardedGuest> {
    const broker = await startMosquitto();
    const password = { ROBOT_MQTT_PASSWORD: broker.password('robot-1') };
    const robot = new PythonRobot(
      ROBOTS["Debian's paho-mqtt"],
      ['127.0.0.1', String(broker.port), 'robot-1'],
      password,
    );
    let installed: InstalledGuest | undefined;
    try {
      installed = await InstalledGuest.boot(async (guest) => {
        await guest.offer(broker.port);
        return `SERVICE_ROBOT_URL=${broker.url('service', '/robot-1')}\n`;
      });
      const { guest, network } = installed;
      const key = (await guest.run('cat /var/lib/robot-rest/first-api-key')).trim();
      const { token } = (await http(network, '/api/v2/auth/', { headers: { ...CLIENT, 'x-api-key': key } })).json;
      const stopPort = await guest.reach('127.0.0.1:8002');
      const stopSocket = await guest.reach('/tmp/rest_api.sock.stop');
      return new GuardedGuest({ installed, robot, broker, token, stopPort, stopSocket });
    } catch (error) {
      await installed?.guest.stop();
      await robot.end();
      await broker.kill();
      throw error;
    }
  }

  /** Where the service reaches a robot, from the guest as from here. */
  brokerUrl(path: string): string {
    return this.#broker.url('service', path);
  }

  /** Process id of the guard; 0 while there is none. */
  async guardId(): Promise<string | undefined> {
    return (await this.installed.showUnit('robot-rest-guard', 'MainPID')).MainPID;
  }

  /** Process id of the service; 0 while there is none. */
  async mainId(): Promise<string | undefined> {
    return (await this.installed.show('MainPID')).MainPID;
  }

  /** Waits until the service and its guard run; both are started at boot. A watchdog may end a starved service once. */
  async bothRun(): Promise<void> {
    const states = async () => {
      const properties = ['ActiveState', 'UnitFileState'];
      const main = await this.installed.show(...properties);
      const guard = await this.installed.showUnit('robot-rest-guard', ...properties);
      return [main, guard].every((unit) => unit.ActiveState === 'active' && unit.UnitFileState === 'enabled');
    };
    await until('both units run and are enabled', states, PATIENCE);
  }

  /** Whether the service says that its guard is there; false also while it does not answer. */
  hasGuard(): Promise<boolean> {
    return this.guardProblem().then(
      (problem) => problem === undefined,
      () => false,
    );
  }

  /** Stop on the port of the guard, with a token. */
  stop(): Promise<HttpAnswer> {
    const headers = { ...CLIENT, authorization: `Bearer ${this.token}` };
    return http(this.#stopPort, '/api/v2/stop', { method: 'POST', headers });
  }

  /** Stop on the socket of the guard, without a token. */
  stopOverSocket(): Promise<HttpAnswer> {
    return http(this.#stopSocket, '/api/v2/stop', { method: 'POST' });
  }

  /** What the service says about its guard; undefined: nothing is wrong with it. */
  async guardProblem(): Promise<string | undefined> {
    const { parts } = (await http(this.installed.network, '/health/ready', { headers: CLIENT })).json;
    return parts.guard.ok ? undefined : parts.guard.reason;
  }

  /** Waits until the service is connected with the robot and with its guard. */
  async whole(): Promise<void> {
    const isWhole = async () => {
      const answer = await http(this.installed.network, '/status', { headers: CLIENT }).catch(() => undefined);
      if (answer?.json.robot === 'connected' && answer.json.stop?.port === 8002) return true;
      await sleep(500);
      return false;
    };
    await until('the service has its robot and its guard', isWhole, PATIENCE);
  }

  /** The first stop that the robot confirms: a slow guest may lose its link to the robot for a while. */
  confirmed(stop: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
    const isConfirmed = async () => {
      const answer = await stop().catch(() => undefined);
      return answer?.status === 200 && answer;
    };
    return until('a stop is confirmed', isConfirmed, PATIENCE);
  }

  /** Waits until a stop is confirmed by the robot, and its fence by the service within the time that it has. */
  async fenced(stop: () => Promise<HttpAnswer>): Promise<void> {
    const isFenced = async () => (await this.confirmed(stop)).json.fenced === true;
    await until('a stop is fenced', isFenced, PATIENCE);
  }

  /**
   * Stops the robot through the guard, over its port and over its socket, four times a second while something is done
   * and at least once after it. @returns all answers.
   */
  async stopDuring(work: () => Promise<void>): Promise<HttpAnswer[]> {
    const answers: HttpAnswer[] = [];
    let isDone = false;
    const working = work().finally(() => {
      isDone = true;
    });
    working.catch(() => undefined); // told below
    for (let last = false; !last; ) {
      last = isDone;
      answers.push(await this.stop(), await this.stopOverSocket());
      await sleep(250);
    }
    await working;
    return answers;
  }

  /** Ends the guest, the robot and the broker. */
  async close(): Promise<void> {
    await this.guest.stop();
    await this.robot.end();
    await this.#broker.kill();
  }
}
