import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../functions/shared/observability/logger.ts';
import { until } from '../../support/processes.ts';
import { startTestService } from '../../support/service.ts';

describe('SERVICE_EVENTS_PORT', () => {
  it('that is taken is a readiness fault, and everything else works', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await until('it listens', () => squatter.listening);
    const { port } = squatter.address() as { port: number };
    const other = await startTestService({ settings: { SERVICE_EVENTS_PORT: String(port) } });
    try {
      expect(other.eventsUrl).toBe('');
      const { status, json } = await other.as(undefined, '/health/ready');
      expect([status, json.parts.events_port.ok]).toEqual([503, false]);
      expect((await other.as('USER', '/api/v2/stop', { method: 'POST' })).status).toBe(200);
    } finally {
      await other.stop();
      squatter.close();
    }
  });

  it('that the system picks is named in the log', async () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    const other = await startTestService({ settings: { SERVICE_EVENTS_PORT: '0' }, logger });
    await other.stop();
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ url: other.eventsUrl, msg: "listening for the vendor's client" }),
    );
  });

  it('that is empty opens no port', async () => {
    const other = await startTestService({ settings: { SERVICE_EVENTS_PORT: '' } });
    expect(other.eventsUrl).toBe('');
    expect((await other.as(undefined, '/health/ready')).status).toBe(200);
    await other.stop();
  });
});
