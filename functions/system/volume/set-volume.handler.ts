import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { config } from '../../shared/ports.ts';
import { ofHost } from '../../shared/remote-robot.ts';
import { audio } from './ports.ts';
import { SetVolume, Volume } from './volume.schema.ts';
import { setVolume } from './volume.ts';

/** POST /api/{version}/volume/: sets the system volume, or mutes it, and reads it back. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Set the system volume, or mute it',
  description: 'Returns what the sound system reports afterwards. No sound is played.',
  input: { body: SetVolume },
  output: Volume,
  audit: 'volume.set',
  uses: { audio, config },
  errors: ['component_unavailable'],
}).handler(async ({ valid, signal, record }, { audio, config }) => {
  const { percentage, muted } = valid.body;
  record('volume.set', { ...(percentage && { percentage: percentage.value }), ...(muted !== undefined && { muted }) });
  return { ...(await setVolume(audio, valid.body, signal)), ...ofHost(config) };
});
