import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject, JsonValue } from '../../functions/shared/json.ts';

/** A goal the stand-in was sent, and what its action server does with it. */
export interface StandInGoal {
  readonly id: string;
  readonly action: string;
  readonly args: JsonValue;
  /** The action server has begun. */
  begin(): void;
  end(how: 'succeeded' | 'cancelled' | 'aborted', result?: JsonValue): void;
}

const ROS2_STATUS = { succeeded: 4, cancelled: 5, aborted: 6 } as const;
const ROS1_STATUS = { succeeded: 3, cancelled: 2, aborted: 4 } as const;

/**
 * A stand-in that speaks the rosbridge protocol (2.0) on the loopback: services, topics, and actions of both
 * generations of ROS. What a robot would do is decided by the test.
 */
export class RosbridgeStandIn {
  /** Every message of every client, in order, as they came in. */
  readonly arrived: JsonObject[] = [];
  /** The same, as they were looked at. */
  readonly received: JsonObject[] = [];
  readonly port: number;
  /** The header of the last connection. */
  authorization: string | undefined;
  readonly goals: StandInGoal[] = [];
  /** Services by name. What they throw fails the call; a service that is not here does not exist. */
  readonly services = new Map<string, (args: JsonValue) => JsonValue | Promise<JsonValue>>();
  /** A connection's next message is not looked at before the goal it sent has ended; so a server of ROS 2 is by default. */
  oneAtATime = false;
  /** What the action server does when it gets a goal. */
  onGoal: (goal: StandInGoal) => void = (goal) => goal.begin();
  /** What it does when a goal is to be cancelled. */
  onCancel: (goal: StandInGoal) => void = (goal) => goal.end('cancelled');
  readonly #underWay = new Map<string, StandInGoal>();
  readonly #waiting = new Set<() => void>();
  readonly #subscribers = new Map<string, Set<WebSocket>>();
  readonly #listening: WebSocketServer;

  constructor(listening: WebSocketServer) {
    this.#listening = listening;
    this.port = (listening.address() as AddressInfo).port; // as: it listens on TCP
    listening.on('connection', (socket, { headers }) => {
      this.authorization = headers.authorization;
      let before: Promise<unknown> = Promise.resolve();
      socket.on('message', (data) => {
        const message = JSON.parse(String(data)) as JsonObject; // as: the link sends objects
        this.arrived.push(message);
        if (this.oneAtATime) before = before.then(() => this.#take(socket, message));
        else this.#take(socket, message);
      });
      this.#wake();
    });
  }

  static async start(port = 0): Promise<RosbridgeStandIn> {
    const listening = new WebSocketServer({ host: '127.0.0.1', port });
    await new Promise((resolve) => listening.once('listening', resolve));
    return new RosbridgeStandIn(listening);
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  /** The messages of one operation, of one topic where it is named. */
  of(op: string, topic?: string): JsonObject[] {
    return this.received.filter((message) => message.op === op && (topic === undefined || message.topic === topic));
  }

  /** Waits until something is so; looks after each message and each connection. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** A node of the robot publishes. */
  publish(topic: string, msg: JsonValue): void {
    const text = JSON.stringify({ op: 'publish', topic, msg });
    for (const client of this.#subscribers.get(topic) ?? []) client.send(text);
  }

  /** Something of which nobody knows what it is. */
  sendText(text: string): void {
    for (const client of this.#listening.clients) client.send(text);
  }

  /** As {@link sendText}, in a message of bytes. */
  sendBytes(bytes: Buffer): void {
    for (const client of this.#listening.clients) client.send(bytes);
  }

  /** Falls silent with every connection open, as a robot does whose power is cut. */
  freeze(): void {
    for (const client of this.#listening.clients) client.pause();
  }

  /** Cuts every connection, as a robot that is switched off by a process does. */
  cut(): void {
    for (const client of this.#listening.clients) client.terminate();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#listening.close(resolve));
  }

  #subscribe(socket: WebSocket, topic: string): void {
    const subscribers = this.#subscribers.get(topic) ?? new Set();
    this.#subscribers.set(topic, subscribers.add(socket));
  }

  #wake(): void {
    for (const go of [...this.#waiting]) go();
    this.#waiting.clear();
  }

  #take(socket: WebSocket, message: JsonObject): Promise<void> | undefined {
    this.received.push(message);
    const { op, topic } = message;
    if (op === 'subscribe') this.#subscribe(socket, String(topic));
    if (op === 'call_service') void this.#call(socket, message);
    const ended = op === 'send_action_goal' ? this.#beginRos2(socket, message) : undefined;
    if (op === 'cancel_action_goal') this.#cancel(String(message.id));
    if (op === 'publish' && typeof topic === 'string') this.#speakActionlib(topic, message.msg as JsonObject); // as: messages are objects
    this.#wake();
    return ended;
  }

  async #call(socket: WebSocket, { id = null, service = '', args = null }: JsonObject): Promise<void> {
    const answer = (values: JsonValue, result: boolean) =>
      socket.send(JSON.stringify({ op: 'service_response', id, service, values, result }));
    const name = String(service);
    const cancelled = /^(.*)\/_action\/cancel_goal$/.exec(name)?.[1];
    if (cancelled !== undefined && !this.services.has(name)) return answer(this.#cancelAll(cancelled), true);
    const serve = this.services.get(name);
    if (!serve) return answer(`Service ${name} does not exist`, false);
    try {
      answer(await serve(args), true);
    } catch (error) {
      answer(String(error instanceof Error ? error.message : error), false);
    }
  }

  #cancelAll(action: string): JsonValue {
    const goals = [...this.#underWay.values()].filter((goal) => goal.action === action);
    for (const goal of goals) this.onCancel(goal);
    return { return_code: 0, goals_canceling: goals.map(({ id }) => ({ goal_id: { uuid: id } })) };
  }

  #cancel(id: string): void {
    const goal = this.#underWay.get(id);
    if (goal) this.onCancel(goal);
  }

  #accept(goal: StandInGoal): void {
    this.goals.push(goal);
    this.#underWay.set(goal.id, goal);
    this.onGoal(goal);
  }

  #beginRos2(socket: WebSocket, { id, action, args = null }: JsonObject): Promise<void> {
    const about = { id: String(id), action: String(action) };
    return new Promise((resolve) => {
      this.#accept({
        ...about,
        args,
        begin: () => socket.send(JSON.stringify({ op: 'action_feedback', ...about, values: {} })),
        end: (how, values = {}) => {
          this.#underWay.delete(about.id);
          const status = ROS2_STATUS[how];
          socket.send(JSON.stringify({ op: 'action_result', ...about, values, status, result: true }));
          resolve();
        },
      });
    });
  }

  #speakActionlib(topic: string, msg: JsonObject): void {
    const [, action = '', part] = /^(.*)\/(goal|cancel)$/.exec(topic) ?? [];
    if (part === 'cancel') {
      if (msg.id !== '') this.#cancel(String(msg.id));
      else this.#cancelAll(action);
    }
    if (part !== 'goal') return;
    const goal_id = msg.goal_id as JsonObject; // as: the type of the message says so
    const statusOf = (status: number, text: string) => ({ goal_id, status, text });
    this.#accept({
      id: String(goal_id.id),
      action,
      args: msg.goal ?? null,
      begin: () => this.publish(`${action}/status`, { status_list: [statusOf(1, '')] }),
      end: (how, result = {}) => {
        this.#underWay.delete(String(goal_id.id));
        this.publish(`${action}/result`, { status: statusOf(ROS1_STATUS[how], ''), result });
      },
    });
  }
}
