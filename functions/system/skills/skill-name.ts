const STEM = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/;
const PREFIX = 'disabled.';
const SUFFIX = '.py';

/** A skill as a client names it. */
export interface SkillName {
  /** What identifies the skill: the file name without prefix and suffix. */
  readonly stem: string;
  /** The name was written with the prefix `disabled.`. */
  readonly disabled: boolean;
}

/**
 * Takes a name apart, written with or without `disabled.` in front and `.py` behind (specification, section 2.5). What
 * passes is safe as a file name. @returns undefined for every other text.
 */
export function readSkillName(text: string): SkillName | undefined {
  // Read as prefix and stem it would name the skill "py", which nobody means who writes it.
  if (text === PREFIX.slice(0, -1) + SUFFIX) return undefined;
  const disabled = text.startsWith(PREFIX);
  const rest = disabled ? text.slice(PREFIX.length) : text;
  const stem = rest.endsWith(SUFFIX) ? rest.slice(0, -SUFFIX.length) : rest;
  return STEM.test(stem) && stem !== 'disabled' ? { stem, disabled } : undefined;
}

/** What machines are told of it; that "disabled" is no name is beyond it. */
export const SKILL_NAME_PATTERN = /^(disabled\.)?[A-Za-z0-9_][A-Za-z0-9_-]{0,99}(\.py)?$/;

/** What a client is told whose name does not pass. */
export const SKILL_NAME_RULE =
  'A skill name has 1 to 100 of A-Z a-z 0-9 _ -, does not begin with -, is not "disabled", and may have one "disabled." in front and one ".py" behind.';

/** The name of the file that holds the skill. */
export function fileNameOf(stem: string, enabled: boolean): string {
  return `${enabled ? '' : PREFIX}${stem}${SUFFIX}`;
}

/** The skill whose file has this name, or undefined when no skill's file can have it. */
export function skillOfFile(fileName: string): SkillName | undefined {
  const name = readSkillName(fileName);
  return name && fileNameOf(name.stem, !name.disabled) === fileName ? name : undefined;
}
