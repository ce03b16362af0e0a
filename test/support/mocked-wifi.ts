import { Writable } from 'node:stream';
import { createLogger } from '../../functions/shared/observability/logger.ts';
import { startNetworkManagerMock } from './network-manager-mock.ts';
import { startTestService } from './service.ts';
import { temporaryFolder } from './world.ts';

/** What has to be installed for {@link startMockedWifi}. */
export const DBUSMOCK = '/usr/lib/python3/dist-packages/dbusmock/templates/networkmanager.py';

/** NM80211ApSecurityFlags. */
const PSK = 0x100;
const EAP = 0x200;
const SAE = 0x400;

/** A service whose NetworkManager is a mock that hears five networks and is connected to HomeNet. */
export async function startMockedWifi(home = temporaryFolder()) {
  let log = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  const mock = await startNetworkManagerMock();
  const homeNet = await mock.hear('ap1', 'HomeNet', '00:23:F8:7E:12:BB', 2425, 82, PSK);
  await mock.hear('ap2', 'Corp', '00:23:F8:7E:12:BC', 5180, 60, EAP);
  await mock.hear('ap3', 'Lobby', '00:23:F8:7E:12:BD', 2412, 30, 0);
  await mock.hear('ap4', 'Modern', '00:23:F8:7E:12:BE', 5955, 20, SAE);
  await mock.hear('ap5', '', '00:23:F8:7E:12:BF', 5200, 55, PSK);
  const homeProfile = await mock.connect('home', 'HomeNet', homeNet);
  const settings = { SERVICE_MODE: 'robot', SERVICE_HOST: '127.0.0.1', DBUS_SYSTEM_BUS_ADDRESS: mock.address };
  const service = await startTestService({
    settings: { HOME: home, ...settings },
    logger: createLogger('trace', sink),
  });

  return {
    mock,
    /** Settings of a service with this NetworkManager; its home is up to the caller. */
    settings,
    /** Path of the profile of the first connection. */
    homeProfile,
    /** Everything the service has logged. */
    log: () => log,
    list: () => service.as('ADMIN', '/api/v2/network/get_wifi_list'),
    configure: (body: unknown, signal?: AbortSignal) =>
      service.as('ADMIN', '/api/v2/network/configure/', { method: 'POST', body, ...(signal ? { signal } : {}) }),
    /** The names of the recorded calls. */
    members: () => mock.calls().map(([member]) => member),
    /** NetworkManager as it is when nothing is wrong with it; the recorded calls are forgotten. */
    async reset() {
      for (const [name, value] of [
        ['outcome', 0],
        ['scan', 'works'],
        ['rollback', 'works'],
        ['checkpoints', true],
        ['delay_ms', 30],
      ] as const) {
        await mock.behave(name, value);
      }
      await mock.reconnect();
      mock.forget();
    },
    async stop() {
      await service.stop();
      await mock.stop();
    },
  };
}

export type MockedWifi = Awaited<ReturnType<typeof startMockedWifi>>;
