import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { config } from '../../shared/ports.ts';
import { ofHost } from '../../shared/remote-robot.ts';
import { audio } from './ports.ts';
import { Volume } from './volume.schema.ts';
import { readVolume } from './volume.ts';

/** GET /api/{version}/volume/: the system volume. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Read the system volume',
  output: Volume,
  uses: { audio, config },
  errors: ['component_unavailable'],
}).handler(async ({ signal }, { audio, config }) => ({ ...(await readVolume(audio, signal)), ...ofHost(config) }));
