import { pathPartProblem, RESERVED_IN_DESCRIPTIONS } from '../../shared/kit/files/path-part-problem.ts';
import { CHECKED_ENDINGS, contentCheck } from './content-checks.ts';
import { URDF_NAME, XACRO_NAME } from './urdf.ts';

const MAX_PATH_BYTES = 1024;
const MAX_SEGMENTS = 16;

/**
 * Why no file can be stored at this path of the description folder; undefined if one can. Names that begin with `~`
 * belong to signed URLs, and hidden ones are never served.
 */
function pathProblem(path: string): string | undefined {
  const segments = path.split('/');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || segments.length > MAX_SEGMENTS) {
    return `The path may have at most ${MAX_PATH_BYTES} bytes and ${MAX_SEGMENTS} parts.`;
  }
  for (const segment of segments) {
    const problem = pathPartProblem(segment, RESERVED_IN_DESCRIPTIONS);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Why no URDF can be stored under this name; undefined if one can. */
export function urdfPathProblem(path: string): string | undefined {
  if (XACRO_NAME.test(path)) {
    return 'Xacro files are templates that this service does not run. Make a URDF with "xacro FILE -o ROBOT.urdf" where ROS is installed, and send that.';
  }
  if (!URDF_NAME.test(path)) return 'The name of a URDF ends in .urdf or .xml.';
  return pathProblem(path);
}

/** Why no mesh or texture can be stored at this path; undefined if one can. */
export function meshPathProblem(path: string): string | undefined {
  if (URDF_NAME.test(path)) return 'URDFs are sent to /api/v2/urdf/{filename}.';
  if (!contentCheck(path)) {
    const endings = CHECKED_ENDINGS.filter((ending) => ending !== 'urdf' && ending !== 'xml');
    return `Only files whose content can be checked are taken: ${endings.join(', ')}.`;
  }
  return pathProblem(path);
}
