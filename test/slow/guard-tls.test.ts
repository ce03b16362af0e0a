import { expect, it } from '@jest/globals';
import { startGuardedBridge } from '../support/guarded-service.ts';
import { http } from '../support/http.ts';
import { until } from '../support/processes.ts';
import { RosbridgeStandIn } from '../support/rosbridge-server.ts';
import { SELF_SIGNED, shownOn } from '../support/self-signed.ts';

const MAPPING = `ros: 2
stop: { service: [{ name: /halt, success: $answer.ok }] }
commands: {}
`;

it("The guard serves stop over TLS with the service's own certificate, also while that is frozen", async () => {
  const standIn = await RosbridgeStandIn.start();
  standIn.services.set('/halt', () => ({ ok: true }));
  const service = await startGuardedBridge(standIn.url, MAPPING, SELF_SIGNED);
  try {
    const headers = { authorization: `Bearer ${service.token}` };
    const { certificate } = (await http(service.main.url, '/api/v2/certificate/', { headers })).json;
    let tlsPort = 0;
    await until('the guard has found the certificate', async () => {
      tlsPort = (await http(service.main.url, '/status')).json.stop?.tls_port ?? 0;
      return tlsPort !== 0;
    });
    // The guard gives a handshake one second, which a machine that stalls may need for its first.
    const patiently = <T>(what: string, work: () => Promise<T>) => until(what, () => work().catch(() => undefined));
    expect(await patiently('a certificate', () => shownOn(tlsPort))).toBe(certificate.sha256);
    service.main.child.kill('SIGSTOP');
    const call = { method: 'POST', headers, ca: certificate.pem };
    const stop = () => http(`https://127.0.0.1:${tlsPort}`, '/api/v2/stop', call);
    expect(await patiently('a stop', stop)).toMatchObject({ status: 200, json: { stopped: true } });
  } finally {
    service.main.child.kill('SIGCONT');
    await service.main.end('SIGTERM');
    await standIn.close();
  }
}, 120_000);
