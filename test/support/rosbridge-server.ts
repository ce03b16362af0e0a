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
/** actionlib_msgs/GoalStatus, before the end. */
const [PENDING, ACTIVE, PREEMPTING, RECALLING] = [0, 1, 6, 7];
/** For how long actionlib keeps what is over, and what it was told to cancel and never had, among its statuses. */
const STATUS_KEPT_MS = 5_000;
/** Real servers report five times a second. */
const STATUS_EVERY_MS = 50;

/** What an action server of ROS 1 reports of one goal; `until` for one that is kept for a while only. */
interface Ros1Entry {
  readonly action: string;
  status: number;
  until: number;
}

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
  /**
   * A connection's next message is not looked at before the goal it sent has ended, or its call was answered; so a server
   * of ROS 2 is by default.
   */
  oneAtATime = false;
  /** What the action server does when it gets a goal. */
  onGoal: (goal: StandInGoal) => void = (goal) => goal.begin();
  /** What it does when a goal is to be cancelled. */
  onCancel: (goal: StandInGoal) => void = (goal) => goal.end('cancelled');
  /** Actions whose server is gone: no status, no answer to anything, no such service. */
  readonly gone = new Set<string>();
  /** Results of ROS 1 get lost on their way. */
  losesResults = false;
  /** Says against messages to these topics what servers may say against what they drop. */
  readonly refusedTopics = new Map<string, (id: JsonValue) => JsonObject>();
  readonly #ros1Goals = new Map<string, Ros1Entry>();
  readonly #reporting = setInterval(() => this.#report(), STATUS_EVERY_MS).unref();
  readonly #underWay = new Map<string, StandInGoal>();
  /** Goals of ROS 2 that are being cancelled; a server does not count them again. */
  readonly #cancelling = new Set<string>();
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
        const take = () => (socket.readyState === socket.OPEN ? this.#take(socket, message) : undefined);
        if (this.oneAtATime) before = before.then(take);
        else void take();
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

  /** A goal of ROS 1 that somebody else has sent. */
  acceptForeignGoal(action: string, id: string): void {
    this.#speakActionlib(`${action}/goal`, { goal_id: { id }, goal: {} });
  }

  /** The action server knows nothing of a goal: it has refused it, or was started anew. */
  forget(id: string): void {
    this.#underWay.delete(id);
    this.#ros1Goals.delete(id);
  }

  async close(): Promise<void> {
    clearInterval(this.#reporting);
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
    const called = op === 'call_service' ? this.#call(socket, message) : undefined;
    const ended = op === 'send_action_goal' ? this.#beginRos2(socket, message) : called;
    const refuse = op === 'publish' ? this.refusedTopics.get(String(topic)) : undefined;
    if (refuse) socket.send(JSON.stringify(refuse(message.id ?? null)));
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
    if (cancelled !== undefined && !this.services.has(name) && !this.gone.has(cancelled)) {
      return answer(this.#cancelByService(cancelled, args), true);
    }
    const serve = this.gone.has(String(cancelled)) ? undefined : this.services.get(name);
    if (!serve) return answer(`Service ${name} does not exist`, false);
    try {
      answer(await serve(args), true);
    } catch (error) {
      answer(String(error instanceof Error ? error.message : error), false);
    }
  }

  /** action_msgs/srv/CancelGoal: zeros stand for every goal, an id that no goal has does nothing. */
  #cancelByService(action: string, args: JsonValue): JsonValue {
    const { goal_info } = args as { goal_info: { goal_id: { uuid: number[] } } }; // as: the type of the service says so
    if (goal_info.goal_id.uuid.some((byte) => byte !== 0)) return { return_code: 2, goals_canceling: [] };
    return this.#cancelAll(action);
  }

  #cancelAll(action: string): JsonValue {
    const goals = [...this.#underWay.values()].filter(
      (goal) => goal.action === action && !(this.#cancelling.has(goal.id) && !this.#ros1Goals.has(goal.id)),
    );
    for (const { id } of goals) this.#cancelling.add(id);
    for (const goal of goals) this.#cancel(goal.id);
    return { return_code: 0, goals_canceling: goals.map(({ id }) => ({ goal_id: { uuid: id } })) };
  }

  #cancel(id: string): void {
    const goal = this.#underWay.get(id);
    if (!goal || this.gone.has(goal.action)) return;
    const entry = this.#ros1Goals.get(id);
    if (entry) entry.status = entry.status === ACTIVE || entry.status === PREEMPTING ? PREEMPTING : RECALLING;
    this.onCancel(goal);
  }

  /** As actionlib does: an id that the server never had it keeps as to be cancelled, anew with each cancel. */
  #cancelByTopic(action: string, id: string): void {
    if (this.gone.has(action)) return;
    if (id === '') this.#cancelAll(action);
    else if (this.#underWay.has(id)) this.#cancel(id);
    else if ((this.#ros1Goals.get(id)?.status ?? RECALLING) === RECALLING) {
      this.#ros1Goals.set(id, { action, status: RECALLING, until: Date.now() + STATUS_KEPT_MS });
    }
  }

  #report(): void {
    for (const [id, { until }] of this.#ros1Goals) if (Date.now() > until) this.#ros1Goals.delete(id);
    for (const topic of this.#subscribers.keys()) {
      const action = /^(.*)\/status$/.exec(topic)?.[1];
      if (action !== undefined && !this.gone.has(action)) this.#reportOf(action);
    }
  }

  #reportOf(action: string): void {
    const goals = [...this.#ros1Goals].filter(([, entry]) => entry.action === action);
    const status_list = goals.map(([id, { status }]) => ({ goal_id: { id }, status, text: '' }));
    this.publish(`${action}/status`, { status_list });
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
    if (part === 'cancel') this.#cancelByTopic(action, String(msg.id));
    if (part !== 'goal' || this.gone.has(action)) return;
    const goal_id = msg.goal_id as JsonObject; // as: the type of the message says so
    const id = String(goal_id.id);
    const entry: Ros1Entry = { action, status: PENDING, until: Number.POSITIVE_INFINITY };
    const isRecalled = this.#ros1Goals.has(id);
    this.#ros1Goals.set(id, entry);
    const goal: StandInGoal = {
      id,
      action,
      args: msg.goal ?? null,
      begin: () => {
        entry.status = ACTIVE;
        this.#reportOf(action);
      },
      end: (how, result = {}) => {
        this.#underWay.delete(id);
        entry.status = ROS1_STATUS[how];
        entry.until = Date.now() + STATUS_KEPT_MS;
        if (this.losesResults) return;
        this.publish(`${action}/result`, { status: { goal_id, status: entry.status, text: '' }, result });
      },
    };
    // A goal that comes after its cancel never begins.
    if (isRecalled) goal.end('cancelled');
    else this.#accept(goal);
  }
}
