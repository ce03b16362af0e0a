import { type Mixer, MixerAbsent } from './mixer.ts';

const SINK = '@DEFAULT_AUDIO_SINK@';

/** PipeWire without its PulseAudio server. */
export const wpctl: Mixer = {
  program: 'wpctl',
  async read(run) {
    const { percent, muted } = parseLevel(await run('wpctl', 'get-volume', SINK));
    const name = /^[ \t*]*node\.name = "([^"\n]+)"$/m.exec(await run('wpctl', 'inspect', SINK))?.[1];
    return { percent, muted, device: name ?? 'PipeWire' };
  },
  async set(run, percent) {
    await run('wpctl', 'set-volume', SINK, (percent / 100).toFixed(2));
  },
  async mute(run, muted) {
    await run('wpctl', 'set-mute', SINK, muted ? '1' : '0');
  },
};

/** `Volume: 0.42 [MUTED]` */
export function parseLevel(text: string): { percent: number; muted: boolean } {
  const match = /^Volume: (\d+(?:\.\d+)?)( \[MUTED\])?/m.exec(text);
  if (!match) throw new MixerAbsent('wpctl: the default sink has no volume');
  return { percent: Math.round(Number(match[1]) * 100), muted: match[2] !== undefined };
}
