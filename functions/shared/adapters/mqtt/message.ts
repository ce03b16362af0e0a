import type { IPublishPacket } from 'mqtt';

/** A message as it came in. */
export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
  readonly correlation: Buffer | undefined;
  readonly responseTopic: string | undefined;
  /** What is left of its life, in whole seconds, when it has one. */
  readonly expirySeconds: number | undefined;
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
