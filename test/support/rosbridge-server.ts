import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject, JsonValue } from '../../functions/shared/kit/json.ts';
import { StandInActions } from './rosbridge-actions.ts';

/**
 * A stand-in that speaks the rosbridge protocol (2.0) on the loopback: services, topics, and actions of both
 * generations of ROS. What a robot would do is decided by the test.
 */
export class RosbridgeStandIn extends StandInActions {
  /** Every message of every client, in order, as they came in. */
  readonly arrived: JsonObject[] = [];
  /** The same, as they were looked at. */
  readonly received: JsonObject[] = [];
  readonly port: number;
  /** The header of the last connection. */
  authorization: string | undefined;
  /** Services by name. What they throw fails the call; a service that is not here does not exist. */
  readonly services = new Map<string, (args: JsonValue) => JsonValue | Promise<JsonValue>>();
  /**
   * A connection's next message is not looked at before the goal it sent has ended, or its call was answered; so a server
   * of ROS 2 is by default.
   */
  oneAtATime = false;
  /** Says against messages to these topics what servers may say against what they drop. */
  readonly refusedTopics = new Map<string, (id: JsonValue) => JsonObject>();
  readonly #waiting = new Set<() => void>();
  readonly #subscribers = new Map<string, Set<WebSocket>>();
  readonly #listening: WebSocketServer;

  constructor(listening: WebSocketServer) {
    super();
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

  async close(): Promise<void> {
    this.stopReporting();
    this.cut();
    await new Promise((resolve) => this.#listening.close(resolve));
  }

  protected subscribedTopics(): Iterable<string> {
    return this.#subscribers.keys();
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
    const ended = op === 'send_action_goal' ? this.beginRos2(socket, message) : called;
    const refuse = op === 'publish' ? this.refusedTopics.get(String(topic)) : undefined;
    if (refuse) socket.send(JSON.stringify(refuse(message.id ?? null)));
    if (op === 'cancel_action_goal') this.cancel(String(message.id));
    if (op === 'publish' && typeof topic === 'string') this.speakActionlib(topic, message.msg as JsonObject); // as: messages are objects
    this.#wake();
    return ended;
  }

  async #call(socket: WebSocket, { id = null, service = '', args = null }: JsonObject): Promise<void> {
    const answer = (values: JsonValue, result: boolean) =>
      socket.send(JSON.stringify({ op: 'service_response', id, service, values, result }));
    const name = String(service);
    const cancelled = /^(.*)\/_action\/cancel_goal$/.exec(name)?.[1];
    if (cancelled !== undefined && !this.services.has(name) && !this.gone.has(cancelled)) {
      return answer(this.cancelByService(cancelled, args), true);
    }
    const serve = this.gone.has(String(cancelled)) ? undefined : this.services.get(name);
    if (!serve) return answer(`Service ${name} does not exist`, false);
    try {
      answer(await serve(args), true);
    } catch (error) {
      answer(String(error instanceof Error ? error.message : error), false);
    }
  }
}
