import { type Port, port } from '../../shared/port.ts';
import type { DescriptionFiles } from './port.ts';

/** URDF and meshes of the robot (SERVICE_DESCRIPTION_DIR). */
export const descriptionFiles: Port<DescriptionFiles> = /* @__PURE__ */ port(
  'robot description',
  async ({ config, logger }) => {
    const { openDescriptionFiles } = await import('./adapters/open.ts');
    return openDescriptionFiles(config, logger);
  },
);
