import { IncomingMessage } from 'node:http';

/** The events path: direct, as forwarded by the public proxy, and for a robot of a fleet. */
const EVENTS_PATH = /^(?:(?:\/([A-Za-z0-9_-]{1,64}))?\/rest)?\/api\/v2\/events\/?(?:\?|$)/;

/** The robot whose events a handshake asks for; undefined for those of this machine. */
export function robotOf({ url = '' }: IncomingMessage): string | undefined {
  return EVENTS_PATH.exec(url)?.[1];
}

/**
 * A request of which Node believes that it upgrades the connection only if it is a WebSocket handshake for the events,
 * or CONNECT.
 * Node decides this from `upgrade` once a server has a listener of that event, and would hand every other request with
 * an Upgrade header, a stop for instance, to it as well. On a connection that has been closed every request upgrades:
 * nothing else makes Node's parser leave the rest of a packet, which may hold a thousand requests, alone.
 */
export class EventsRequest extends IncomingMessage {
  declare upgradeRequested: boolean | null;

  /** Assigned by the constructor of IncomingMessage and by Node's parser, read once the headers are known. */
  get upgrade(): boolean | null {
    if (this.socket.destroyed) return true;
    return this.upgradeRequested && (this.method === 'CONNECT' || isEventsHandshake(this));
  }

  set upgrade(requested: boolean | null) {
    this.upgradeRequested = requested;
  }
}

function isEventsHandshake({ method, url = '', headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && EVENTS_PATH.test(url);
}
