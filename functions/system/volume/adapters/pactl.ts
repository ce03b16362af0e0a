import type { Volume } from '../port.ts';
import { type Mixer, MixerAbsent } from './mixer.ts';

/**
 * PulseAudio, or PipeWire through its PulseAudio server. Parses the text output, because versions before 16 have no
 * JSON and later ones still print the same text in the C locale.
 */
export const pactl: Mixer = {
  program: 'pactl',
  async read(run) {
    const info = await run('pactl', 'info');
    return parseSinks(await run('pactl', 'list', 'sinks'), defaultSink(info));
  },
  async set(run, percent) {
    await run('pactl', 'set-sink-volume', '@DEFAULT_SINK@', `${percent}%`);
  },
  async mute(run, muted) {
    await run('pactl', 'set-sink-mute', '@DEFAULT_SINK@', muted ? '1' : '0');
  },
};

/** The name of the default sink in the output of `pactl info`. */
export function defaultSink(info: string): string {
  const name = /^Default Sink: (.+)$/m.exec(info)?.[1];
  if (name === undefined || name.startsWith('@')) throw new MixerAbsent('pactl: no default sink');
  return name;
}

/** Volume and mute of one sink in the output of `pactl list sinks`. */
export function parseSinks(text: string, name: string): Volume {
  for (const block of text.split(/^Sink #/m)) {
    if (/^[ \t]*Name: (.+)$/m.exec(block)?.[1] !== name) continue;
    const levels = [...(/^[ \t]*Volume: (.+)$/m.exec(block)?.[1] ?? '').matchAll(/(\d{1,5})%/g)].map((match) =>
      Number(match[1]),
    );
    if (levels.length === 0) break;
    return { percent: Math.max(...levels), muted: /^[ \t]*Mute: yes$/m.test(block), device: name };
  }
  throw new MixerAbsent('pactl: the default sink has no volume');
}
