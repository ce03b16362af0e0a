import type * as z from 'zod';
import type * as data from '../../../functions/shared/events/data.schema.ts';

/** What events carry, as the schemas of the service say. */
export type State = Readonly<z.infer<typeof data.StateChanged>>;
export type Joints = Readonly<z.infer<typeof data.JointsChanged>>;
export type LeaseStanding = Readonly<z.infer<typeof data.LeaseChanged>>;
export type Alert = Readonly<z.infer<typeof data.AlertRaised>>;
export type ActiveAlerts = Readonly<z.infer<typeof data.ActiveAlerts>>;
export type Mission = Readonly<z.infer<typeof data.MissionChanged>>;
export type MissionsUnderWay = Readonly<z.infer<typeof data.MissionsUnderWay>>;
export type Answered = Readonly<z.infer<typeof data.CommandAnswered>> & { readonly time: string };
