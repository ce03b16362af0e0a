import { badAnswer, connectionLost, errorFromProblem, isObject, RobotRestError, Unavailable } from './errors.ts';
import type { components } from './openapi.ts';
import { type ServerMessage, ServiceSocket, type WebSocketConstructor } from './service-socket.ts';
import type { Session } from './session.ts';

export type Frame = components['schemas']['JogFrame'];
export type Ack = components['schemas']['JogReply'];

/** How frames reach the service; a frame is never sent twice. */
export interface JogTransport {
  /** Frames that may be without an answer. */
  readonly maxOutstanding: number;
  /** @throws RobotRestError, which has the `stamp` of a refusal in its problem. */
  send(frame: Frame, timeoutMs: number): Promise<Ack>;
  close(): void;
}

/** Each frame is a request. */
export class PostTransport implements JogTransport {
  readonly maxOutstanding = 1;
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async send(frame: Frame, timeoutMs: number): Promise<Ack> {
    const answer = await this.#session.request('POST', '/api/v2/jog/', { json: frame, timeoutMs, lane: 'urgent' });
    return ackOf(answer.object());
  }

  close(): void {}
}

interface Pending {
  resolve(ack: Ack): void;
  reject(error: RobotRestError): void;
}

/** Frames over a WebSocket of their own; when it closes, the service sends the robot zero velocity at once. */
export class SocketTransport implements JogTransport {
  readonly maxOutstanding = 5;
  readonly #socket: ServiceSocket;
  readonly #pending = new Map<number, Pending>();

  private constructor(socket: ServiceSocket) {
    this.#socket = socket;
    socket.onMessage = (message) => this.#receive(message);
    socket.onEnd = (error) => {
      const lost = error instanceof RobotRestError ? error : connectionLost();
      for (const { reject } of this.#pending.values()) reject(lost);
    };
  }

  static async open(session: Session, WebSocket: WebSocketConstructor): Promise<SocketTransport> {
    return new SocketTransport(await ServiceSocket.open(session, WebSocket));
  }

  send(frame: Frame, timeoutMs: number): Promise<Ack> {
    return new Promise<Ack>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Unavailable(null, 'timeout', 'The service has not answered the frame.', 'maybe'));
      }, timeoutMs);
      const settled = () => {
        clearTimeout(timer);
        this.#pending.delete(frame.seq);
      };
      this.#pending.set(frame.seq, {
        resolve: (ack) => {
          settled();
          resolve(ack);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
      if (!this.#socket.send({ type: 'jog', ...frame })) this.#pending.get(frame.seq)?.reject(connectionLost('no'));
    });
  }

  close(): void {
    this.#socket.close();
  }

  #receive(message: ServerMessage): void {
    if (message.type === 'error') {
      // Of a frame that the service could not even read; which one it was, it cannot say.
      for (const { reject } of this.#pending.values()) reject(errorFromProblem(null, message));
      return;
    }
    if (message.type !== 'jog_ack') return;
    const pending = this.#pending.get(Number(message.seq));
    if (!pending) return;
    if (isObject(message.error)) pending.reject(errorFromProblem(null, { ...message.error, stamp: message.stamp }));
    else {
      try {
        pending.resolve(ackOf(message));
      } catch (error) {
        pending.reject(error as RobotRestError); // as: ackOf throws no other
      }
    }
  }
}

function ackOf(value: Record<string, unknown>): Ack {
  if (typeof value.stamp !== 'string') throw badAnswer('a frame acknowledged without a stamp');
  return value as Ack; // as: what is read of it has been checked
}
