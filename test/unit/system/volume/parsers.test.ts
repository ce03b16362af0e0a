import { describe, expect, it } from '@jest/globals';
import { chooseControl } from '../../../../functions/system/volume/adapters/amixer.ts';
import { MixerAbsent } from '../../../../functions/system/volume/adapters/mixer.ts';
import { defaultSink, parseSinks } from '../../../../functions/system/volume/adapters/pactl.ts';
import { parseLevel, wpctl } from '../../../../functions/system/volume/adapters/wpctl.ts';

/** As PulseAudio 16.1 prints it, two sinks. */
const SINKS = `Sink #0
	State: IDLE
	Name: robot
	Description: Null Output
	Mute: no
	Volume: front-left: 27525 /  42% / -22.61 dB,   front-right: 24249 /  37% / -25.91 dB
	        balance -0.12
	Base Volume: 65536 / 100% / 0.00 dB
	Properties:
		device.description = "Name: hdmi"

Sink #1
	Name: hdmi
	Mute: yes
	Volume: mono: 98304 / 150% / 10.57 dB
	Base Volume: 65536 / 100% / 0.00 dB
`;

/** As alsa-utils 1.2.8 prints it. */
const CONTROLS = `Simple mixer control 'Capture',0
  Capabilities: cvolume cswitch cswitch-joined
  Capture channels: Front Left - Front Right
  Limits: Capture 0 - 65536
  Front Left: Capture 65536 [100%] [on]
  Front Right: Capture 65536 [100%] [on]
Simple mixer control 'PCM',0
  Capabilities: pvolume
  Playback channels: Front Left - Front Right
  Limits: Playback 0 - 255
  Mono:
  Front Left: Playback 100 [39%] [-31.00dB]
  Front Right: Playback 100 [39%] [-31.00dB]
Simple mixer control 'Master',0
  Capabilities: pvolume pvolume-joined pswitch pswitch-joined
  Playback channels: Mono
  Limits: Playback 0 - 87
  Mono: Playback 37 [43%] [-37.50dB] [off]
Simple mixer control 'Auto-Mute Mode',0
  Capabilities: enum
  Items: 'Disabled' 'Enabled'
  Item0: 'Disabled'
`;

describe('pactl', () => {
  it('reports the loudest channel of the default sink', () => {
    expect(parseSinks(SINKS, 'robot')).toEqual({ percent: 42, muted: false, device: 'robot' });
  });

  it('reports a muted sink, and one above 100 %', () => {
    expect(parseSinks(SINKS, 'hdmi')).toEqual({ percent: 150, muted: true, device: 'hdmi' });
  });

  it.each([
    ['no sink at all', ''],
    ['no volume', 'Sink #0\n\tName: robot\n\tMute: no\n'],
  ])('fails when there is %s', (_what, text) => {
    expect(() => parseSinks(text, 'robot')).toThrow(MixerAbsent);
  });

  it('finds the default sink, and fails without one', () => {
    expect(defaultSink('Server Name: pulseaudio\nDefault Sink: robot\nDefault Source: robot.monitor\n')).toBe('robot');
    expect(() => defaultSink('Default Sink: @DEFAULT_SINK@\n')).toThrow(MixerAbsent);
    expect(() => defaultSink('')).toThrow(MixerAbsent);
  });
});

describe('wpctl', () => {
  it.each([
    ['Volume: 0.42\n', 42, false],
    ['Volume: 0.29 [MUTED]\n', 29, true],
    ['Volume: 1.50\n', 150, false],
  ])('reads %j', (text, percent, muted) => {
    expect(parseLevel(text)).toEqual({ percent, muted });
  });

  it('fails without a volume', () => {
    expect(() => parseLevel("Object '0' not found")).toThrow(MixerAbsent);
  });
});

describe('amixer', () => {
  it('picks the most general control with a playback volume', () => {
    expect(chooseControl(CONTROLS)).toEqual({ percent: 43, muted: true, device: 'Master' });
  });

  it('picks another control without Master', () => {
    expect(chooseControl(CONTROLS.replace("'Master'", "'Beep'"))).toEqual({
      percent: 39,
      muted: false,
      device: 'PCM',
    });
  });

  it('fails when no control has a volume', () => {
    expect(() => chooseControl(CONTROLS.split("Simple mixer control 'PCM'")[0] ?? '')).toThrow(MixerAbsent);
  });
});

describe('A PipeWire sink', () => {
  it.each([
    ['by the name it has', 'id 48, type PipeWire:Interface:Node\n  * node.name = "speaker"\n', 'speaker'],
    ['as PipeWire when it has none', 'id 48, type PipeWire:Interface:Node\n', 'PipeWire'],
  ])('is called %s', async (_how, inspected, device) => {
    const run = async (_program: string, action?: string) => (action === 'inspect' ? inspected : 'Volume: 0.37\n');
    expect(await wpctl.read(run)).toEqual({ percent: 37, muted: false, device });
  });
});
