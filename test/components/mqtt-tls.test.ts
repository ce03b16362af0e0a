import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openMqttLink } from '../../functions/shared/robot-link/adapters/mqtt/open.ts';
import type { RobotLink } from '../../functions/shared/robot-link/port.ts';
import { describeWith } from '../support/components.ts';
import { freePort } from '../support/free-port.ts';
import { MOSQUITTO, startMosquitto, type TestBroker } from '../support/mosquitto.ts';
import { startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { silentLogger, temporaryFolder, testConfig } from '../support/world.ts';

const folder = temporaryFolder();
const file = (name: string) => join(folder, name);

/** A certificate authority of our own and a certificate for localhost. */
function makeCertificates(): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore', cwd: folder });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...key, '-subj', '/CN=ca', '-keyout', 'ca.key', '-out', 'ca.pem');
  const names = ['-addext', 'subjectAltName=DNS:localhost'];
  const issued = ['-CA', 'ca.pem', '-CAkey', 'ca.key'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-subj',
    '/CN=localhost',
    ...names,
    ...issued,
    '-keyout',
    'key.pem',
    '-out',
    'cert.pem',
  );
}

describeWith('mosquitto', MOSQUITTO, 'A broker behind TLS', () => {
  let broker: TestBroker;
  let port: number;
  let link: RobotLink;
  beforeAll(async () => {
    makeCertificates();
    port = await freePort();
    const tls = [`listener ${port} 127.0.0.1`, `certfile ${file('cert.pem')}`, `keyfile ${file('key.pem')}`];
    broker = await startMosquitto(tls);
    const settings = { SERVICE_ROBOT_URL: broker.url('service', '/robot-1') };
    link = await openMqttLink(testConfig(settings), { logger: silentLogger, clock: Date.now });
  });
  afterAll(async () => {
    await link.close();
    await broker.kill();
  });

  const robot = (environment: Record<string, string>) =>
    startProcess({
      SERVICE_ROBOT_ID: 'robot-1',
      SERVICE_RELAY_URL: `mqtts://robot-1:s3cret-1@localhost:${port}`,
      ...environment,
    });

  describe('with a certificate', () => {
    it('connects with a certificate that the robot trusts', async () => {
      const process = await robot({ NODE_EXTRA_CA_CERTS: file('ca.pem') });
      await until(() => link.connected());
      expect(process.output().stderr).not.toContain('s3cret');
      await process.end();
    });

    it('does not connect with an untrusted certificate, and logs that without the password', async () => {
      const process = await robot({});
      await until(() => process.output().stderr.includes('"setting":"SERVICE_RELAY_URL"'));
      expect(process.output().stderr).toMatch(/"code":"(SELF_SIGNED|UNABLE_TO)[A-Z_]*"/);
      expect(process.output().stderr).not.toContain('s3cret');
      expect(link.connected()).toBe(false);
      await process.end();
    });
  });
});
