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
    /** From the robot, retained, and its last will. */
    presence: `robots/${robotId}/presence`,
    /** From the robot to the one instance of the service that asked. */
    answersTo: (instance: string) => `robots/${robotId}/answers/${instance}`,
  };
}

/** Every answer to one instance of the service, from whichever robot. */
export function allAnswersTo(instance: string): string {
  return `robots/+/answers/${instance}`;
}

/** Which robot a topic belongs to, and which of its topics it is. */
export function readTopic(topic: string): { readonly robotId: string; readonly branch: string } | undefined {
  const [root, robotId, branch] = topic.split('/');
  return root === 'robots' && robotId !== undefined && branch !== undefined ? { robotId, branch } : undefined;
}
