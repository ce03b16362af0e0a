import type { JsonObject } from '../../../json.ts';
import type { Logger } from '../../../logger.ts';
import { Connection } from './connection.ts';

/** Who hears of what the two connections do. */
export interface LaneListener {
  opened(connection: Connection, lane: 'ordinary' | 'urgent'): void;
  received(message: JsonObject): void;
  lost(): void;
}

/**
 * Two connections to one server. A rosbridge server takes the messages of a connection one after another, and by
 * default finishes a service call or even a whole goal before it looks at the next; what stops the robot has a
 * connection of its own. The link is up when both are, and down when one is lost.
 */
export class Lanes {
  readonly ordinary: Connection;
  readonly urgent: Connection;

  constructor(url: string, logger: Logger, listener: LaneListener) {
    const open = (lane: 'ordinary' | 'urgent'): Connection =>
      new Connection(url, logger, {
        opened: () => listener.opened(this[lane], lane),
        received: (message) => listener.received(message),
        lost: () => {
          listener.lost();
          this.ordinary.drop();
          this.urgent.drop();
        },
      });
    this.ordinary = open('ordinary');
    this.urgent = open('urgent');
  }

  get connected(): boolean {
    return this.ordinary.connected && this.urgent.connected;
  }

  /** Resolves when the first attempts have ended, either way. */
  async attempted(): Promise<void> {
    await Promise.all([this.ordinary.attempted, this.urgent.attempted]);
  }

  /** @throws ServiceError `robot_unavailable` while one of them is down. */
  requireOpen(): void {
    this.ordinary.requireOpen();
    this.urgent.requireOpen();
  }

  close(): void {
    this.ordinary.close();
    this.urgent.close();
  }
}
