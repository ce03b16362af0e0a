import type { StateChanged } from '../../../functions/shared/events/data.schema.ts';
import type { Events } from '../../../functions/shared/events/events.port.ts';
import type { Feed } from '../../../functions/shared/events/feeds.ts';
import type { RobotLink } from '../../../functions/shared/robot-link/port.ts';
import type { Audio } from '../../../functions/system/volume/port.ts';

/** 20 times a second. */
const SAMPLE_MS = 50;
/** Reading the volume may start a program. */
const VOLUME_MS = 2_000;

export interface StateParts {
  readonly robotLink: RobotLink;
  readonly events: Events;
  readonly mode: 'sim' | 'robot';
  /** Absent for a robot whose volume this host does not know. */
  readonly audio?: () => Promise<Audio>;
}

/** The topic `state`: what the robot says of itself, and what the service knows of it. Told when it changes. */
export function stateFeed({ robotLink, events, mode, audio }: StateParts): Feed {
  let volume: StateChanged['volume'] = null;

  const read = (): StateChanged => ({
    ...robotLink.state?.(),
    mode,
    link: robotLink.connected() ? 'connected' : 'disconnected',
    volume,
    simulated: robotLink.kind === 'simulated',
    estop: robotLink.emergencyStop?.()?.state ?? null,
  });

  async function readVolume(): Promise<void> {
    try {
      if (!audio) return;
      const { percent, muted } = await (await audio()).read(AbortSignal.timeout(VOLUME_MS));
      volume = { level: percent, muted };
    } catch {
      volume = null; // no sound system answers
    }
  }

  return {
    open() {
      void readVolume();
      const volumeTimer = setInterval(() => void readVolume(), VOLUME_MS).unref();
      const sampling = sample(read, (state) => events.publish('state', 'changed', state));
      return {
        snapshot: read,
        close() {
          clearInterval(volumeTimer);
          sampling.stop();
        },
      };
    },
  };
}

/** The topic `joints`: where they are, told when they move. */
export function jointsFeed({ robotLink, events }: Pick<StateParts, 'robotLink' | 'events'>): Feed {
  const read = () => robotLink.joints?.();
  return {
    open() {
      const { stop } = sample(read, (joints) => joints && events.publish('joints', 'changed', joints));
      return { snapshot: read, close: stop };
    },
  };
}

/** Looks at a value 20 times a second, and tells when it has changed. */
function sample<T>(read: () => T, tell: (value: T) => void): { stop(): void } {
  let last = JSON.stringify(read());
  const timer = setInterval(() => {
    const value = read();
    const text = JSON.stringify(value);
    if (text === last) return;
    last = text;
    tell(value);
  }, SAMPLE_MS).unref();
  return { stop: () => clearInterval(timer) };
}
