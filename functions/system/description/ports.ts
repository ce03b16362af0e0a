import { keyStore, revocations, signingKeys } from '../../shared/identity/ports.ts';
import { type Port, port } from '../../shared/port.ts';
import { writeGate } from '../../shared/ports.ts';
import type { MeshSignatures } from './mesh-signatures.ts';
import type { DescriptionFiles } from './port.ts';

/** URDF and meshes of the robot (SERVICE_DESCRIPTION_DIR). */
export const descriptionFiles: Port<DescriptionFiles> = /* @__PURE__ */ port('robot description', async (ports) => {
  const { openDescriptionFiles } = await import('./adapters/open.ts');
  return openDescriptionFiles(ports.config, ports.logger, await ports.get(writeGate));
});

/** Signatures in the URLs of meshes. */
export const meshSignatures: Port<MeshSignatures> = /* @__PURE__ */ port('mesh signatures', async (ports) => {
  const { MeshSignatures } = await import('./mesh-signatures.ts');
  return new MeshSignatures({
    config: ports.config,
    clock: ports.clock,
    signingKeys: await ports.get(signingKeys),
    keyStore: await ports.get(keyStore),
    revocations: await ports.get(revocations),
  });
});
