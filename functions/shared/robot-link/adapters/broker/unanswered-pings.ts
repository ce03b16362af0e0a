import type { MqttClient } from 'mqtt';

/** Unanswered pings to a broker. It reads in order, so messages sent before them may not have arrived either. */
export class UnansweredPings {
  readonly #sentAt: number[] = [];

  /** Starts over with a new connection. */
  follow(client: MqttClient): void {
    this.#sentAt.length = 0;
    client.on('packetsend', ({ cmd }) => {
      if (cmd === 'pingreq') this.#sentAt.push(performance.now());
    });
    client.on('packetreceive', ({ cmd }) => {
      if (cmd === 'pingresp') this.#sentAt.shift();
    });
  }

  /** Age in ms of the oldest ping; 0 if there is none. */
  get waitMs(): number {
    const [oldest] = this.#sentAt;
    return oldest === undefined ? 0 : performance.now() - oldest;
  }

  get any(): boolean {
    return this.#sentAt.length > 0;
  }
}
