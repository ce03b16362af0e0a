import { signal } from '@preact/signals';
import type { Mission } from './event-data.ts';

/** With `started`, `progressed`, or how it ended, and when. */
export type ShownMission = Mission & { readonly what: string; readonly time: string | undefined };

const MAX_ENDED = 50;

export const missionsUnderWay = signal<readonly ShownMission[]>([]);
/** Newest first. */
export const missionsEnded = signal<readonly ShownMission[]>([]);

export function noteSnapshot(missions: readonly Mission[]): void {
  missionsUnderWay.value = missions.map((mission) => ({ ...mission, what: 'started', time: undefined }));
}

export function noteMission(what: string, mission: Mission, time: string): void {
  const others = missionsUnderWay.value.filter(({ id }) => id !== mission.id);
  const shown = { ...mission, what, time };
  if (what === 'started' || what === 'progressed') missionsUnderWay.value = [...others, shown];
  else {
    missionsUnderWay.value = others;
    missionsEnded.value = [shown, ...missionsEnded.value].slice(0, MAX_ENDED);
  }
}

export function forgetMissions(): void {
  missionsUnderWay.value = [];
  missionsEnded.value = [];
}
