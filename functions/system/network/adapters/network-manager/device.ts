import { type Manager, networkManagerUnavailable } from './manager.ts';
import { DEVICE, NM, ROOT, STATE, WIFI_DEVICE } from './names.ts';

export interface Device {
  readonly path: string;
  readonly interfaceName: string;
  /** NMDeviceState. */
  readonly state: number;
}

/**
 * The Wi-Fi device: the connected one if there are several, otherwise the first usable one.
 * @throws ServiceError `component_unavailable` if there is none, if it is unmanaged, or if the radio is off.
 */
export async function wifiDevice(manager: Manager): Promise<Device> {
  const [paths] = await manager.call(ROOT, NM, 'GetDevices');
  const devices: Device[] = [];
  for (const path of paths as string[]) {
    // as: GetDevices answers ao
    const { DeviceType, Interface, State } = await manager.properties(path, DEVICE);
    if (DeviceType === WIFI_DEVICE) devices.push({ path, interfaceName: String(Interface), state: Number(State) });
  }
  const [best] = devices.sort((a, b) => b.state - a.state);
  if (!best)
    throw networkManagerUnavailable('It has no Wi-Fi device. Plug one in, or install its driver and firmware.');
  if (best.state <= STATE.unmanaged) {
    throw networkManagerUnavailable(
      `It does not manage ${best.interfaceName}. Run \`nmcli device set ${best.interfaceName} managed yes\`.`,
    );
  }
  if (best.state <= STATE.unavailable) {
    throw networkManagerUnavailable(
      `The radio of ${best.interfaceName} is off. Run \`nmcli radio wifi on\` and check \`rfkill\`.`,
    );
  }
  return best;
}
