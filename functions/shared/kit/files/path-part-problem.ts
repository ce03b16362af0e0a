/** Longest name that file systems take, in bytes. */
const MAX_BYTES = 255;

/**
 * Why one part of a relative path cannot be the name of a file or folder of the robot, as a sentence; undefined if it
 * can. Hidden names are never listed or served; a feature may reserve more first characters.
 */
export function pathPartProblem(part: string, reserved: readonly string[] = ['.']): string | undefined {
  if (part === '' || Buffer.byteLength(part) > MAX_BYTES) {
    return `Each part of the path must have 1 to ${MAX_BYTES} bytes.`;
  }
  if (reserved.some((start) => part.startsWith(start))) {
    return `No part of the path may begin with ${reserved.map((start) => `"${start}"`).join(' or ')}.`;
  }
  if (/[\p{Cc}\\]|[\ud800-\udfff]/u.test(part)) return 'The path must not have control characters or "\\".';
  return undefined;
}

/** What no part of a path in the description folder begins with: names with `~` belong to signed URLs. */
export const RESERVED_IN_DESCRIPTIONS: readonly string[] = ['.', '~'];
