import { endpoint } from '../../shared/middleware/endpoint.ts';
import { audio } from '../../shared/ports.ts';
import { SetVolume, Volume } from './volume.schema.ts';
import { setVolume } from './volume.ts';

/** POST /api/{version}/volume/: sets the system volume and reads it back. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Set the system volume',
  description: 'Answers what the sound system reports afterwards. No sound is played.',
  input: { body: SetVolume },
  output: Volume,
  audit: 'volume.set',
  uses: { audio },
  errors: ['component_unavailable'],
}).handler(({ valid, signal, record }, { audio }) => {
  const { value } = valid.body.percentage;
  record('volume.set', { percentage: value });
  return setVolume(audio, value, signal);
});
