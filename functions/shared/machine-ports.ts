/** The ports to the machine itself: its sound, network, services and files. Part of ports.ts, which hands them out. */

import { join } from 'node:path';
import type { Audio } from './adapters/audio/port.ts';
import type { DescriptionFiles } from './adapters/description-files/port.ts';
import type { LlmConfigFile } from './adapters/llm-config-file/port.ts';
import type { PythonParser } from './adapters/python-parser/port.ts';
import type { ServiceManagers } from './adapters/service-manager/port.ts';
import type { SkillFiles } from './adapters/skill-files/port.ts';
import type { TlsCertificate } from './adapters/tls-certificate/port.ts';
import type { Wifi } from './adapters/wifi/port.ts';
import type { WifiRecord } from './adapters/wifi-record/port.ts';
import { type Port, port } from './port.ts';

/** The loudspeaker. */
export const audio: Port<Audio> = /* @__PURE__ */ port('audio', async ({ config }) => {
  const { openAudio } = await import('./adapters/audio/open.ts');
  return openAudio(config);
});

/** The services of head and base, and their logs. */
export const serviceManagers: Port<ServiceManagers> = /* @__PURE__ */ port(
  'service managers',
  async ({ config, clock }) => {
    const { openServiceManagers } = await import('./adapters/service-manager/open.ts');
    return openServiceManagers(config, clock);
  },
  (managers) => managers.close(),
);

/** The robot's Wi-Fi: simulated, or NetworkManager's in robot mode. */
export const wifi: Port<Wifi> = /* @__PURE__ */ port(
  'wifi',
  async ({ config, logger, clock }) => {
    if (config.SERVICE_MODE === 'sim') {
      const { SimulatedWifi } = await import('./adapters/wifi/simulated/simulated-wifi.ts');
      return new SimulatedWifi(config.SERVICE_DATA_DIR, clock);
    }
    const { NetworkManagerWifi } = await import('./adapters/wifi/network-manager/network-manager.ts');
    return new NetworkManagerWifi(config, clock, logger);
  },
  (wifi) => wifi.close(),
);

/** How the last Wi-Fi configure went, kept in the data folder. */
export const wifiRecord: Port<WifiRecord> = /* @__PURE__ */ port(
  'wifi record',
  async ({ config, logger, clock }) => {
    const { fileRecord } = await import('./adapters/wifi-record/file.ts');
    return fileRecord(join(config.SERVICE_DATA_DIR, 'last-wifi-configure.json'), clock, logger);
  },
  (record) => record.close(),
);

/** The skills folder (SERVICE_SKILLS_DIR). */
export const skillFiles: Port<SkillFiles> = /* @__PURE__ */ port('skills folder', async ({ config, logger, clock }) => {
  const { openSkillFiles } = await import('./adapters/skill-files/open.ts');
  return openSkillFiles(config, logger, clock);
});

/** The interpreter that parses skills (SERVICE_SKILL_PYTHON). */
export const pythonParser: Port<PythonParser> = /* @__PURE__ */ port('python parser', async ({ config, logger }) => {
  const { openPythonParser } = await import('./adapters/python-parser/open.ts');
  return openPythonParser(config, logger);
});

/** The language-model configuration (SERVICE_LLM_CONFIG_PATH). */
export const llmConfigFile: Port<LlmConfigFile> = /* @__PURE__ */ port(
  'llm configuration',
  async ({ config, logger }) => {
    const { openLlmConfigFile } = await import('./adapters/llm-config-file/open.ts');
    return openLlmConfigFile(config, logger);
  },
);

/** URDF and meshes of the robot (SERVICE_DESCRIPTION_DIR). */
export const descriptionFiles: Port<DescriptionFiles> = /* @__PURE__ */ port(
  'robot description',
  async ({ config, logger }) => {
    const { openDescriptionFiles } = await import('./adapters/description-files/open.ts');
    return openDescriptionFiles(config, logger);
  },
);

/** The certificate of the TLS listener, when SERVICE_TLS_CERT_PATH and SERVICE_TLS_KEY_PATH name one. */
export const tlsCertificate: Port<TlsCertificate | undefined> = /* @__PURE__ */ port(
  'TLS certificate',
  async ({ config, logger, clock }) => {
    const { openTlsCertificate } = await import('./adapters/tls-certificate/open.ts');
    return openTlsCertificate(config, logger, clock);
  },
);
