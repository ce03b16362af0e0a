import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../functions/shared/logger.ts';
import { LIMITS as limits } from '../../../local-host/limits.ts';
import { Outbox } from '../../../local-host/outbox.ts';

describe('Answers that leave together', () => {
  const lines: string[] = [];
  const logger = createLogger('error', { write: (line: string) => void lines.push(line) });
  const outbox = new Outbox();
  const server = createServer((request, response) => {
    const headers = { 'x-path': request.url === '/broken' ? 'no\nheader' : 'fine' };
    outbox.post({ statusCode: 200, headers, body: 'answer' }, { request, response, limits, logger, muchUnread: false });
  });
  afterEach(() => server.close().closeAllConnections());

  it('do not hold each other up: one that cannot be sent ends its connection and is kept in the log', async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // as: a TCP server has no other kind of address
    const answers = ['/a', '/broken', '/b'].map(
      (path) =>
        new Promise((resolve) => {
          get({ port, path, agent: false }, (response) => resolve(response.resume().statusCode)).on('error', () =>
            resolve('closed'),
          );
        }),
    );
    expect(await Promise.all(answers)).toEqual([200, 'closed', 200]);
    expect(lines.join('')).toContain('a request could not be answered');
  });
});
