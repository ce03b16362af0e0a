import type { Config } from '../../../shared/config.ts';
import { unavailable } from '../../../shared/errors.ts';
import { run } from '../../../shared/kit/child-process/run.ts';
import { CommandFailure } from '../../../shared/kit/child-process/running.ts';
import { Semaphore } from '../../../shared/kit/semaphore.ts';
import type { Audio, Volume } from '../port.ts';
import { amixer } from './amixer.ts';
import { type Mixer, MixerAbsent, type RunMixer } from './mixer.ts';
import { pactl } from './pactl.ts';
import { wpctl } from './wpctl.ts';

/** In order of preference: each one may run on top of the ones after it. */
const MIXERS: readonly Mixer[] = [pactl, wpctl, amixer];

const PROGRAM_TIMEOUT_MS = 5_000;

/**
 * The volume of this machine. The sound system is detected anew on each call, because sound daemons may start, stop and
 * restart at any time, and calling a missing one only takes milliseconds.
 */
export function systemAudio(config: Config): Audio {
  const environment = audioEnvironment(config);
  const turns = new Semaphore(1);

  return {
    kind: 'system',
    read: (signal) => withMixer(runner(environment, signal), (mixer, run) => mixer.read(run)),
    set: ({ percent, muted }, signal) =>
      turns.run(() =>
        withMixer(runner(environment, signal), async (mixer, run) => {
          if (muted === true) await mixer.mute(run, true);
          if (percent !== undefined) await mixer.set(run, percent);
          if (muted === false) await mixer.mute(run, false);
          return mixer.read(run);
        }),
      ),
  };
}

/** The environment of the programs, with a fixed locale because their output is parsed. */
function audioEnvironment(config: Config): Record<string, string> {
  return {
    ...config.childEnvironment,
    LANG: 'C.UTF-8',
    ...(config.SERVICE_AUDIO_RUNTIME_DIR ? { XDG_RUNTIME_DIR: config.SERVICE_AUDIO_RUNTIME_DIR } : {}),
    ...(config.SERVICE_AUDIO_SERVER ? { PULSE_SERVER: config.SERVICE_AUDIO_SERVER } : {}),
  };
}

function runner(environment: Record<string, string>, signal: AbortSignal): RunMixer {
  return async (program, ...args) => {
    const { code, stdout, stderr } = await run([program, ...args], {
      environment,
      signal,
      timeLimit: PROGRAM_TIMEOUT_MS,
    });
    if (code !== 0) throw new MixerAbsent(`${program}: ${errorLine(stderr) ?? `exit code ${code}`}`);
    return stdout;
  };
}

/** The program's own error message, without those of the ALSA library. */
function errorLine(stderr: string): string | undefined {
  return stderr.split('\n').find((line) => line !== '' && !line.startsWith('ALSA lib '));
}

/**
 * Uses the first available sound system. If one hangs, that is an error, because the next one would control something
 * else.
 */
async function withMixer(run: RunMixer, use: (mixer: Mixer, run: RunMixer) => Promise<Volume>): Promise<Volume> {
  const reasons: unknown[] = [];
  for (const mixer of MIXERS) {
    try {
      return await use(mixer, run);
    } catch (error) {
      const absent = error instanceof MixerAbsent || (error instanceof CommandFailure && error.kind === 'missing');
      if (!absent && !(error instanceof CommandFailure)) throw error;
      reasons.push(error);
      if (!absent) break;
    }
  }
  throw unavailable('audio', remedy(reasons), new AggregateError(reasons, 'no sound system answered'));
}

function remedy(reasons: readonly unknown[]): string {
  const tried = reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason))).join('; ');
  return `Start PulseAudio, PipeWire or ALSA. If it runs as another user, set SERVICE_AUDIO_RUNTIME_DIR or SERVICE_AUDIO_SERVER. Tried: ${tried}.`;
}
