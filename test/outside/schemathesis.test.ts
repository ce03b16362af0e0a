import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord } from '../support/auth.ts';
import { served } from '../support/openapi-document.ts';
import { describeOutside, runTool, TOOLS } from '../support/outside/tools.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

const SECONDS = 60;

/**
 * The document as it understands it: it knows requests to be closed only by the older keyword, and takes the schema of
 * a stream for that of each event.
 */
function understoodDocument(folder: string): string {
  const path = join(folder, 'openapi.json');
  const text = JSON.stringify(served, (name, value) => (name === 'text/event-stream' ? {} : value));
  writeFileSync(path, text.replaceAll('"unevaluatedProperties":false', '"additionalProperties":false'));
  return path;
}

describeOutside({ tools: ['schemathesis/bin/schemathesis'] }, 'Schemathesis', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({
      settings: { SERVICE_COMMAND_TIMEOUT_MS: '1000', SERVICE_ALLOWED_UNITS: 'head=robot-*.service' },
      given: [give(keyStore, new FakeKeyStore([keyRecord('k1', 'ENCHANTER')]))],
    });
  });
  afterAll(() => service.stop());

  it(`finds no fault in ${SECONDS} seconds, with all checks`, async () => {
    const folder = temporaryFolder('robot-rest-schemathesis-');
    const headers = [`Authorization: Bearer ${await service.token('ENCHANTER')}`, 'X-API-Key: rk_k1'];
    const said = await runTool(
      join(TOOLS, 'schemathesis/bin/schemathesis'),
      [
        ...['--config-file', join(ROOT, 'test/outside/schemathesis.toml')],
        ...['run', understoodDocument(folder), '--url', service.url, '--checks', 'all', '--exclude-deprecated'],
        ...['--exclude-operation-id', 'streamEvents'], // it has no end
        ...['--exclude-operation-id', 'logout'], // it would end the token that all requests have
        ...['--exclude-operation-id', 'uploadBackup'], // it cannot make an SQLite file
        ...['--exclude-operation-id', 'uploadUrdf'], // nor XML
        ...['--exclude-operation-id', 'uploadMesh'], // nor a mesh
        ...['--exclude-operation-id', 'getSignedMesh'], // its paths fit uploadMesh too, which takes no name like that
        ...headers.flatMap((header) => ['--header', header]),
        ...['--max-time', String(SECONDS), '--max-examples', '8', '--seed', '1', '--request-timeout', '30'],
        ...['--continue-on-failure', '--generation-database', 'none', '--no-color'],
      ],
      { cwd: folder },
    );
    const [, generated, passed] = /(\d+) generated, (\d+) passed/.exec(said) ?? [];
    expect(passed).toBe(generated);
    expect(Number(generated)).toBeGreaterThan(200);
  });
});
