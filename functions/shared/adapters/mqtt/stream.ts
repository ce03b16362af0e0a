import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { BrokerAddress } from './broker-address.ts';

/** A connection to a broker that sends each packet at once; with TLS its certificate is checked against the system's authorities. */
export function openStream({ tls, host, port }: BrokerAddress) {
  if (!tls) return connectTcp({ host, port, noDelay: true });
  const socket = connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) });
  socket.setNoDelay(true);
  return socket;
}
