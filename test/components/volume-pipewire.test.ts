import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemAudio } from '../../functions/system/volume/adapters/system.ts';
import type { Audio } from '../../functions/system/volume/port.ts';
import { describeWith } from '../support/components.ts';
import { Processes, say, until, untilExists } from '../support/processes.ts';
import { temporaryFolder, testConfig } from '../support/world.ts';

const never = new AbortController().signal;
const NULL_SINK =
  '{ factory.name=support.null-audio-sink node.name=robot media.class=Audio/Sink object.linger=true ' +
  'audio.position=[FL FR] monitor.channel-volumes=true }';

describeWith('WirePlumber', '/usr/bin/wireplumber', 'The volume of a real PipeWire', () => {
  const home = temporaryFolder();
  const runtime = join(home, 'run');
  const client = {
    HOME: home,
    XDG_RUNTIME_DIR: runtime,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${runtime}/bus`,
    PULSE_SERVER: `unix:${runtime}/pulse/native`,
  };
  const processes = new Processes();

  function audioOf(settings: Record<string, string> = {}): Audio {
    return systemAudio(
      testConfig({ HOME: home, SERVICE_MODE: 'robot', SERVICE_AUDIO_RUNTIME_DIR: runtime, ...settings }),
    );
  }

  async function startPipeWire() {
    const daemon = processes.start('pipewire', [], client);
    await untilExists(join(runtime, 'pipewire-0'));
    const manager = processes.start('wireplumber', [], client);
    await until('the sink is the default one', () => {
      if (say('wpctl', ['inspect', '@DEFAULT_AUDIO_SINK@'], client).includes('node.name = "robot"')) return true;
      if (!say('pw-cli', ['list-objects', 'Node'], client).includes('"robot"'))
        say('pw-cli', ['create-node', 'adapter', NULL_SINK], client);
      return false;
    });
    const pulse = processes.start('pipewire-pulse', [], client); // only now: without a sink it would make one of its own
    await untilExists(join(runtime, 'pulse/native'));
    await until('pactl sees it', () => say('pactl', ['info'], client).includes('Default Sink: robot'));
    return { daemon, manager, pulse };
  }

  beforeAll(async () => {
    mkdirSync(runtime);
    chmodSync(runtime, 0o700);
    processes.start(
      'dbus-daemon',
      ['--session', '--nofork', '--nopidfile', `--address=${client.DBUS_SESSION_BUS_ADDRESS}`],
      client,
    );
    await untilExists(join(runtime, 'bus'));
  });
  afterAll(() => processes.stopAll());

  it('matches pactl and wpctl, even without the PulseAudio server and after a restart', async () => {
    const audio = audioOf({ SERVICE_AUDIO_SERVER: client.PULSE_SERVER });
    const first = await startPipeWire();
    for (const percent of [0, 37, 100]) {
      expect(await audio.set({ percent }, never)).toEqual({ percent, muted: false, device: 'robot' });
      expect(say('pactl', ['get-sink-volume', 'robot'], client)).toMatch(new RegExp(` ${percent}% .* ${percent}% `));
      expect(say('wpctl', ['get-volume', '@DEFAULT_AUDIO_SINK@'], client)).toContain((percent / 100).toFixed(2));
    }

    await processes.stop(first.pulse, 'SIGKILL');
    for (const percent of [0, 37, 100]) {
      expect(await audio.set({ percent }, never)).toEqual({ percent, muted: false, device: 'robot' });
      expect(say('wpctl', ['get-volume', '@DEFAULT_AUDIO_SINK@'], client)).toContain((percent / 100).toFixed(2));
    }
    say('wpctl', ['set-mute', '@DEFAULT_AUDIO_SINK@', '1'], client);
    expect(await audio.read(never)).toMatchObject({ muted: true });
    expect(await audio.set({ muted: false }, never)).toMatchObject({ muted: false });
    expect(await audio.set({ muted: true }, never)).toMatchObject({ muted: true });
    expect(say('wpctl', ['get-volume', '@DEFAULT_AUDIO_SINK@'], client)).toContain('[MUTED]');

    await processes.stop(first.manager);
    await processes.stop(first.daemon);
    await expect(audio.read(never)).rejects.toMatchObject({ code: 'component_unavailable' });

    await startPipeWire();
    expect(await audio.set({ percent: 37 }, never)).toMatchObject({ percent: 37 });
    expect(say('wpctl', ['get-volume', '@DEFAULT_AUDIO_SINK@'], client)).toContain('0.37');
  });
});
