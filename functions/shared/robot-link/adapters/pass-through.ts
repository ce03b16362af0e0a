import type { RobotLink } from '../port.ts';

/** Wraps a link, replacing only how it sends and stops. */
export function passThrough(link: RobotLink, own: Pick<RobotLink, 'send' | 'stop'>): RobotLink {
  return {
    kind: link.kind,
    fence: link.fence,
    connected: () => link.connected(),
    problem: () => link.problem?.(),
    notes: () => link.notes?.() ?? [],
    state: () => link.state?.(),
    joints: () => link.joints?.(),
    topic: (name) => link.topic?.(name),
    jog: () => link.jog?.(),
    emergencyStop: () => link.emergencyStop?.(),
    catalogue: () => link.catalogue(),
    thaw: async () => link.thaw?.(),
    close: () => link.close(),
    ...own,
  };
}
