import type { Socket } from 'node:net';
import type { AccessLevel } from '../../functions/shared/access.ts';
import type { PublicJwk } from '../../functions/shared/identity/signing-keys.port.ts';
import type { Sender } from '../../functions/shared/robot-link/port.ts';

/** What the guard judges tokens by; never a secret. */
export interface Identity {
  /** The keys whose tokens may still be shown for a stop. */
  readonly keys: readonly PublicJwk[];
  readonly api_keys: ReadonlyArray<{
    readonly id: string;
    readonly level: AccessLevel;
    readonly revoked: boolean;
    readonly robots?: readonly string[];
    readonly expires_at?: string;
  }>;
  readonly socket_generation: string;
}

/** Motion that must not go on without its holder. `until`: ms of {@link monotonicMs}. */
export interface Hold {
  readonly kind: 'lease' | 'jog';
  readonly until: number;
}

/** Who asked the guard for a stop, and from where. */
export interface StopOrigin {
  readonly sender?: Sender | undefined;
  /** Of the client; empty for a relayed stop. */
  readonly address: string;
  readonly listener: 'tcp' | 'socket' | 'relay';
  readonly request_id: string | null;
}

/** Something that the guard did. */
export interface Act extends Partial<StopOrigin> {
  readonly id: string;
  /** In ms since the epoch. */
  readonly at: number;
  /** It was asked for, or what was announced had to be ended. */
  readonly why: 'asked' | Hold['kind'];
  /** `ok`: the robot has confirmed; `sent`: nothing tells; or the code of the error. */
  readonly outcome: string;
}

/** Where the guard serves; null what it does not. */
export interface StopAddresses {
  readonly port: number | null;
  readonly tls_port: number | null;
  readonly socket: string | null;
}

/** From the service to its guard. */
export type ToGuard =
  /** `robot`: see guardedRobot. */
  | { readonly type: 'hello'; readonly pid: number; readonly robot: string }
  | ({ readonly type: 'identity' } & Identity)
  /** All there are; those of the message before end with it. */
  | { readonly type: 'holds'; readonly holds: readonly Hold[] }
  /** The fence of the service has risen for the stop with this word. */
  | { readonly type: 'fenced'; readonly word: number }
  /** The act with this id is told, and need not be told again. */
  | { readonly type: 'heard'; readonly id: string }
  /** A planned end. */
  | { readonly type: 'bye' }
  /** From the guard of a new host (its process id) to that of one that has gone. */
  | { readonly type: 'take_over'; readonly pid: number };

/** From the guard to the service. */
export type ToHost =
  | { readonly type: 'serving'; readonly addresses: StopAddresses; readonly problem?: string }
  | { readonly type: 'sign' }
  | { readonly type: 'stop'; readonly word: number; readonly sender?: Sender }
  | { readonly type: 'act'; readonly act: Act }
  /** Answers to `hello` and `take_over`: another service is guarded; or this guard has made way. */
  | { readonly type: 'in_use' }
  | { readonly type: 'yielded' };

/** Now, in ms of the clock that all processes of this machine share and nobody sets. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Most characters of one message; the keys take the most. */
const MAX_CHARS = 4 * 1024 * 1024;

/** Messages over a private socket between two processes of one user, one JSON text a line. Unknown ones are ignored. */
export class Channel<Out extends { readonly type: string }, In extends { readonly type: string }> {
  readonly socket: Socket;
  #rest = '';

  constructor(socket: Socket, onMessage: (message: In) => void) {
    this.socket = socket;
    socket.setEncoding('utf8').on('error', () => undefined);
    socket.on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop() ?? '';
      if (this.#rest.length > MAX_CHARS) socket.destroy();
      for (const line of lines) {
        const message = parse<In>(line);
        if (message) onMessage(message);
      }
    });
  }

  /** Sends a message now; one that cannot be sent is lost, as with the process at the other end. */
  send(message: Out): void {
    if (this.socket.writable) this.socket.write(`${JSON.stringify(message)}\n`);
  }
}

function parse<M>(line: string): M | undefined {
  try {
    return JSON.parse(line) as M; // as: both ends are programs of this project
  } catch {
    return undefined;
  }
}
