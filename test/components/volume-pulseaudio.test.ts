import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemAudio } from '../../functions/system/volume/adapters/system.ts';
import type { Audio } from '../../functions/system/volume/port.ts';
import { describeWith } from '../support/components.ts';
import { Processes, say, untilExists } from '../support/processes.ts';
import { temporaryFolder, testConfig } from '../support/world.ts';

const never = new AbortController().signal;

describeWith('PulseAudio', '/usr/bin/pulseaudio', 'The volume of a real PulseAudio', () => {
  const home = temporaryFolder();
  const runtime = join(home, 'run');
  const socket = join(runtime, 'pa.sock');
  const client = { PULSE_SERVER: `unix:${socket}`, HOME: home, XDG_RUNTIME_DIR: runtime };
  const processes = new Processes();
  let audio: Audio;

  async function startDaemon() {
    const daemon = processes.start(
      'pulseaudio',
      [
        ...['-n', '--daemonize=no', '--exit-idle-time=-1', '--use-pid-file=no', '--log-level=0'],
        ...['-L', `module-native-protocol-unix socket=${socket} auth-anonymous=1`],
        ...['-L', 'module-null-sink sink_name=robot'],
      ],
      { HOME: home, XDG_RUNTIME_DIR: runtime },
    );
    await untilExists(socket);
    return daemon;
  }

  beforeAll(() => {
    mkdirSync(runtime);
    chmodSync(runtime, 0o700);
    audio = systemAudio(
      testConfig({
        HOME: home,
        SERVICE_MODE: 'robot',
        SERVICE_AUDIO_RUNTIME_DIR: runtime,
        SERVICE_AUDIO_SERVER: `unix:${socket}`,
      }),
    );
  });
  afterAll(() => processes.stopAll());

  it('matches pactl, even after the daemon was restarted', async () => {
    await expect(audio.read(never)).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringContaining('SERVICE_AUDIO_SERVER'),
    });

    let daemon = await startDaemon();
    for (const percent of [0, 37, 100]) {
      expect(await audio.set({ percent }, never)).toEqual({ percent, muted: false, device: 'robot' });
      expect(say('pactl', ['get-sink-volume', 'robot'], client)).toMatch(new RegExp(` ${percent}% .* ${percent}% `));
    }

    await processes.stop(daemon);
    await expect(audio.set({ percent: 50 }, never)).rejects.toMatchObject({ code: 'component_unavailable' });

    daemon = await startDaemon();
    expect(await audio.set({ percent: 37 }, never)).toMatchObject({ percent: 37 });
    say('pactl', ['set-sink-mute', 'robot', '1'], client);
    expect(await audio.read(never)).toEqual({ percent: 37, muted: true, device: 'robot' });
  });

  it('mutes and unmutes, and keeps the volume', async () => {
    await audio.set({ percent: 37, muted: false }, never);
    expect(await audio.set({ muted: true }, never)).toEqual({ percent: 37, muted: true, device: 'robot' });
    expect(say('pactl', ['get-sink-mute', 'robot'], client)).toBe('Mute: yes\n');
    expect(await audio.set({ percent: 40 }, never)).toMatchObject({ percent: 40, muted: true });
    expect(await audio.set({ muted: false }, never)).toMatchObject({ percent: 40, muted: false });
    expect(say('pactl', ['get-sink-mute', 'robot'], client)).toBe('Mute: no\n');
  });

  it('ends as the last of many concurrent sets, each of which reads back its own value', async () => {
    const values = Array.from({ length: 20 }, (_, index) => index * 5);
    const answers = await Promise.all(values.map((percent) => audio.set({ percent }, never)));
    expect(answers.map(({ percent }) => percent)).toEqual(values);
    expect(say('pactl', ['get-sink-volume', 'robot'], client)).toContain(' 95% ');
  });
});
