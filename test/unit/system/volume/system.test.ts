import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { systemAudio } from '../../../../functions/system/volume/adapters/system.ts';
import { temporaryFolder, testConfig } from '../../../support/world.ts';

const never = new AbortController().signal;

/** A machine whose only programs are these shell scripts. `$0.calls` records each call. */
function machine(scripts: Record<string, string>, settings: Record<string, string> = {}) {
  const bin = join(temporaryFolder(), 'bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(scripts)) put(bin, name, script);
  return { bin, audio: systemAudio(testConfig({ ...settings, PATH: bin })) };
}

function put(bin: string, name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\necho "$@" >> ${join(bin, `${name}.calls`)}\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

const CARD = `printf '%s\\n' "Simple mixer control 'Master',0" '  Capabilities: pvolume pswitch' '  Mono: Playback 37 [43%] [on]'`;

describe('The sound system', () => {
  it('is ALSA without PulseAudio and PipeWire', async () => {
    const { audio, bin } = machine({ amixer: CARD });
    expect(await audio.set({ percent: 43 }, never)).toEqual({ percent: 43, muted: false, device: 'Master' });
    expect(readFileSync(join(bin, 'amixer.calls'), 'utf8')).toContain('-q -M sset Master 43%\n');
  });

  it('is detected each time, highest layer first', async () => {
    const { audio, bin } = machine({ amixer: CARD });
    expect(await audio.read(never)).toMatchObject({ device: 'Master' });
    put(bin, 'wpctl', 'if [ "$1" = inspect ]; then echo "  * node.name = \\"sink\\""; else echo "Volume: 0.30"; fi');
    expect(await audio.read(never)).toEqual({ percent: 30, muted: false, device: 'sink' });
    put(bin, 'wpctl', 'echo "Could not connect to PipeWire" >&2; exit 2');
    expect(await audio.read(never)).toMatchObject({ device: 'Master' });
  });

  it('is reported missing with every reason and advice', async () => {
    const { audio } = machine({
      pactl: 'echo "Connection failure: Connection refused" >&2; exit 1',
      amixer: 'echo "ALSA lib confmisc.c:855: no" >&2; echo "amixer: Mixer attach default error" >&2; exit 1',
    });
    await expect(audio.read(never)).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringMatching(
        /"audio".*SERVICE_AUDIO_RUNTIME_DIR.*Connection refused; "wpctl" cannot be run here; amixer: amixer: Mixer/,
      ),
    });
  });

  it('is queried in the configured session with the C locale', async () => {
    const { audio, bin } = machine(
      { pactl: `echo "$LANG $XDG_RUNTIME_DIR $PULSE_SERVER" >> "$0.env"; exit 1` },
      { LANG: 'de_DE.UTF-8', SERVICE_AUDIO_RUNTIME_DIR: '/run/user/1000', SERVICE_AUDIO_SERVER: 'unix:/x' },
    );
    await expect(audio.read(never)).rejects.toMatchObject({ code: 'component_unavailable' });
    expect(readFileSync(join(bin, 'pactl.env'), 'utf8')).toBe('C.UTF-8 /run/user/1000 unix:/x\n');
  });

  it('is not queried when the client has gone', async () => {
    const { audio } = machine({ amixer: CARD });
    await expect(audio.set({ percent: 10 }, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
    expect(await audio.set({ percent: 20 }, never)).toMatchObject({ percent: 43 });
  });
});
