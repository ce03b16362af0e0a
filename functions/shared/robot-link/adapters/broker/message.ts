import { setTimeout as sleep } from 'node:timers/promises';
import type { IPublishPacket, MqttClient } from 'mqtt';

/** A message as it came in. */
export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
  readonly correlation: Buffer | undefined;
  readonly responseTopic: string | undefined;
  /** What is left of its life, in whole seconds, when it has one. */
  readonly expirySeconds: number | undefined;
}

/** What goes with a message that is published. */
export interface Outgoing {
  readonly retain?: boolean;
  readonly correlation?: Buffer;
  readonly responseTopic?: string;
  readonly expirySeconds?: number;
}

export function messageOf(topic: string, payload: Buffer, { properties }: IPublishPacket): Message {
  return {
    topic,
    payload,
    correlation: properties?.correlationData,
    responseTopic: properties?.responseTopic,
    expirySeconds: properties?.messageExpiryInterval,
  };
}

/** As the MQTT library takes it, with QoS 0: what cannot be delivered now is not kept for later. */
export function publishOptionsOf({ retain = false, correlation, responseTopic, expirySeconds }: Outgoing) {
  const properties = {
    ...(correlation ? { correlationData: correlation } : {}),
    ...(responseTopic === undefined ? {} : { responseTopic }),
    ...(expirySeconds === undefined ? {} : { messageExpiryInterval: expirySeconds }),
  };
  return { qos: 0, retain, properties } as const;
}

/**
 * What the broker keeps under a topic; undefined when that is nothing, may not be read, or takes longer than so many
 * ms. The subscription made for it has ended afterwards.
 */
export async function readRetained(client: MqttClient, topic: string, timeoutMs: number): Promise<Message | undefined> {
  let kept: Message | undefined;
  const onMessage = (name: string, payload: Buffer, packet: IPublishPacket) => {
    if (name === topic) kept ??= messageOf(name, payload, packet);
  };
  client.on('message', onMessage);
  // A broker answers in order: what it keeps has come when it confirms the end.
  const asking = client.subscribeAsync(topic, { qos: 0 }).then(() => client.unsubscribeAsync(topic));
  await Promise.race([asking.catch(() => undefined), sleep(timeoutMs, undefined, { ref: false })]);
  client.off('message', onMessage);
  return kept;
}
