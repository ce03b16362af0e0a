/**
 * The topics of one robot. All lie below `robots/{robot_id}/`, so that a broker's access rules can give each robot its
 * own branch and nothing else.
 */
export function topicsOf(robotId: string) {
  return {
    /** To the robot. */
    commands: `robots/${robotId}/commands`,
    /** To the robot, ahead of everything. */
    stop: `robots/${robotId}/stop`,
    /** To the robot: velocities, which nothing answers. */
    jog: `robots/${robotId}/jog`,
    /** From the robot, retained, and its last will. */
    presence: `robots/${robotId}/presence`,
    /** From the robot: what it says of itself. */
    state: `robots/${robotId}/state`,
    joints: `robots/${robotId}/joints`,
    events: `robots/${robotId}/events`,
    /** From the robot to the one instance of the service that asked. */
    answersTo: (instance: string) => `robots/${robotId}/answers/${instance}`,
  };
}

const REPORT_BRANCHES = ['state', 'joints', 'events'] as const;
export type ReportBranch = (typeof REPORT_BRANCHES)[number];

export function isReportBranch(branch: string): branch is ReportBranch {
  return REPORT_BRANCHES.some((known) => known === branch);
}

/** What one robot says of itself. */
export function reportTopicsOf(robotId: string): string[] {
  return REPORT_BRANCHES.map((branch) => topicsOf(robotId)[branch]);
}

/** Every answer to one instance of the service, from whichever robot. */
export function allAnswersTo(instance: string): string {
  return `robots/+/answers/${instance}`;
}

/** The presence of every robot. */
export const ALL_PRESENCE = 'robots/+/presence';

/** Which robot a topic belongs to, and which of its topics it is. */
export function readTopic(topic: string): { readonly robotId: string; readonly branch: string } | undefined {
  const [root, robotId, branch] = topic.split('/');
  return root === 'robots' && robotId !== undefined && branch !== undefined ? { robotId, branch } : undefined;
}
