const STEM = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/;
const PREFIX = 'disabled.';
const SUFFIX = '.py';

/** A parsed skill name. */
export interface SkillName {
  /** Identifies the skill: the file name without prefix and suffix. */
  readonly stem: string;
  /** Whether the name has the prefix `disabled.`. */
  readonly disabled: boolean;
}

/**
 * Parses a skill name with or without the prefix `disabled.` and the suffix `.py` (specification, section 2.5). A valid
 * name is safe to use as a file name. @returns undefined for any other text.
 */
export function parseSkillName(text: string): SkillName | undefined {
  // Would parse as a disabled skill named "py", which nobody means.
  if (text === PREFIX.slice(0, -1) + SUFFIX) return undefined;
  const disabled = text.startsWith(PREFIX);
  const rest = disabled ? text.slice(PREFIX.length) : text;
  const stem = rest.endsWith(SUFFIX) ? rest.slice(0, -SUFFIX.length) : rest;
  return STEM.test(stem) && stem !== 'disabled' ? { stem, disabled } : undefined;
}

/** The rule for the OpenAPI document; it cannot express that "disabled" is not a valid name. */
export const SKILL_NAME_PATTERN = /^(disabled\.)?[A-Za-z0-9_][A-Za-z0-9_-]{0,99}(\.py)?$/;

/** The rule for error messages. */
export const SKILL_NAME_RULE =
  'A skill name must be 1 to 100 characters of A-Z a-z 0-9 _ -, must not start with - and must not be "disabled". It may have the prefix "disabled." and the suffix ".py".';

/** The name of a skill's file. */
export function fileNameOf(stem: string, enabled: boolean): string {
  return `${enabled ? '' : PREFIX}${stem}${SUFFIX}`;
}

/** The skill with this file name, or undefined if the file cannot be a skill. */
export function skillOfFile(fileName: string): SkillName | undefined {
  const name = parseSkillName(fileName);
  return name && fileNameOf(name.stem, !name.disabled) === fileName ? name : undefined;
}
