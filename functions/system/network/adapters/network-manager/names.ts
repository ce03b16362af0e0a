/**
 * Names and numbers of NetworkManager's D-Bus interface (networkmanager.dev, "D-Bus API Reference", 1.20 and later).
 */
export const NM = 'org.freedesktop.NetworkManager';
export const ROOT = '/org/freedesktop/NetworkManager';
export const SETTINGS = '/org/freedesktop/NetworkManager/Settings';
/** Stands for "none" where an object path is required. */
export const NO_OBJECT = '/';

export const DEVICE = `${NM}.Device`;
export const WIRELESS = `${NM}.Device.Wireless`;
export const ACCESS_POINT = `${NM}.AccessPoint`;
export const ACTIVE = `${NM}.Connection.Active`;
export const PROFILES = `${NM}.Settings`;
export const PROFILE = `${NM}.Settings.Connection`;

/** NMDeviceType. */
export const WIFI_DEVICE = 2;

/** NMDeviceState. */
export const STATE = {
  unmanaged: 10,
  unavailable: 20,
  disconnected: 30,
  prepare: 40,
  needAuth: 60,
  ipConfig: 70,
  secondaries: 90,
  activated: 100,
  failed: 120,
} as const;

/** NMActiveConnectionState. */
export const ACTIVE_STATE = { activated: 2, deactivated: 4 } as const;

/** NMSettingsAddConnection2Flags and NMSettingsUpdate2Flags. */
export const PROFILE_FLAG = { toDisk: 0x1, inMemory: 0x2 } as const;

/** NMCheckpointCreateFlags. */
export const DELETE_NEW_CONNECTIONS = 0x2;
