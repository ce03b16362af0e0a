import { endpoint } from '../../shared/middleware/endpoint.ts';
import { audio } from '../../shared/ports.ts';
import { Volume } from './volume.schema.ts';
import { readVolume } from './volume.ts';

/** GET /api/{version}/volume/: the system volume. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Read the system volume',
  output: Volume,
  uses: { audio },
  errors: ['component_unavailable'],
}).handler(({ signal }, { audio }) => readVolume(audio, signal));
