import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InFlight } from '../../../../local-host/http/in-flight.ts';
import { until } from '../../../support/processes.ts';

const REQUEST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n';

describe('After a stop of another process', () => {
  const inFlight = new InFlight();
  let pending: ServerResponse[];
  /** Whether each request counts as arrived before every stop. */
  let old: boolean[];
  const server = createServer((request, response) => {
    old.push(inFlight.begin(request, response).arrivedAt === 0);
    pending.push(response);
  });

  beforeEach(async () => {
    pending = [];
    old = [];
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const client = () => connect((server.address() as AddressInfo).port, '127.0.0.1'); // as: it listens on TCP
  const answer = () => {
    for (const response of pending.splice(0)) response.end();
  };
  const arrived = (count: number) => until(`${count} requests`, () => old.length === count);

  it('what follows a request that pended counts as old, until the connection was idle', async () => {
    const busy = client();
    busy.write(REQUEST);
    await arrived(1);
    inFlight.holdBack();
    inFlight.letGo();
    busy.write(REQUEST);
    await arrived(2);
    answer();
    busy.resume();
    await sleep(50); // some turns of the event loop
    busy.write(REQUEST);
    await arrived(3);
    expect(old).toEqual([false, true, false]);
    busy.destroy();
  });

  it('what begins within the hold counts as old, and so does what waits behind it', async () => {
    const busy = client();
    const other = client();
    inFlight.holdBack();
    busy.write(REQUEST);
    await arrived(1);
    inFlight.letGo();
    busy.write(REQUEST);
    await arrived(2);
    other.write(REQUEST);
    await arrived(3);
    expect(old).toEqual([true, true, false]);
    for (const socket of [busy, other]) socket.destroy();
  });
});
