import type { Config } from '../../config.ts';
import { unavailable } from '../../errors.ts';
import { run } from '../child-process/run.ts';
import { CommandFailure } from '../child-process/running.ts';
import { amixer } from './amixer.ts';
import { type Mixer, MixerAbsent, type RunMixer } from './mixer.ts';
import { pactl } from './pactl.ts';
import type { Audio, Volume } from './port.ts';
import { wpctl } from './wpctl.ts';

/** The sound systems in the order in which they are asked: what stands further up runs on top of what stands below. */
const MIXERS: readonly Mixer[] = [pactl, wpctl, amixer];

/** Longest time one program of a sound system may take, in ms. */
const TIME_LIMIT = 5_000;

/**
 * The volume of this machine. Nothing is remembered from one call to the next: daemons come after this service, go and
 * come back, and asking one that is not there takes milliseconds.
 */
export function systemAudio(config: Config): Audio {
  const environment = audioEnvironment(config);
  let last: Promise<unknown> = Promise.resolve();

  function inTurn(work: () => Promise<Volume>): Promise<Volume> {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  }

  return {
    kind: 'system',
    read: (signal) => withMixer(runner(environment, signal), (mixer, run) => mixer.read(run)),
    set: (percent, signal) =>
      inTurn(() =>
        withMixer(runner(environment, signal), async (mixer, run) => {
          await mixer.set(run, percent);
          return mixer.read(run);
        }),
      ),
  };
}

/** What the programs may see: `C.UTF-8`, so that they answer in the one language that is parsed. */
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
    const { code, stdout, stderr } = await run([program, ...args], { environment, signal, timeLimit: TIME_LIMIT });
    if (code !== 0) throw new MixerAbsent(`${program}: ${complaint(stderr) ?? `exit code ${code}`}`);
    return stdout;
  };
}

/** What a program said, without the inner workings of the ALSA library in front. */
function complaint(stderr: string): string | undefined {
  return stderr.split('\n').find((line) => line !== '' && !line.startsWith('ALSA lib '));
}

/** Uses the first sound system that is there. One that hangs is an error: a lower one would set something else. */
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
  const said = reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason))).join('; ');
  return `Start PulseAudio, PipeWire or ALSA; when it runs for another user, set SERVICE_AUDIO_RUNTIME_DIR or SERVICE_AUDIO_SERVER. Asked: ${said}.`;
}
