import { parse, type ScalarTag } from 'yaml';

/** One resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

export interface Template {
  readonly Parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly Conditions: Readonly<Record<string, unknown>>;
  readonly Globals: { readonly Function: Readonly<Record<string, unknown>> };
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, unknown>>;
}

const SCALARS = ['Ref', 'GetAtt', 'Sub', 'Condition'];
const SEQUENCES = ['If', 'Not', 'Equals', 'And', 'Or', 'Join', 'Select', 'Sub', 'GetAtt'];

/** Reads a template; short forms of intrinsic functions become `{<name>: argument}`, as their long forms would. */
export function parseTemplate(text: string): Template {
  const scalars = SCALARS.map((name): ScalarTag => ({ tag: `!${name}`, resolve: (value) => ({ [name]: value }) }));
  const sequences = SEQUENCES.map((name) => ({
    tag: `!${name}`,
    collection: 'seq' as const,
    resolve: (value: { toJSON(): unknown }) => ({ [name]: value.toJSON() }),
  }));
  return parse(text, { customTags: [...scalars, ...sequences] as ScalarTag[], strict: true }) as Template; // as: the library's type of a list of tags knows no sequences
}

/** Every use of an intrinsic function below a node: its name, its argument and where it stands. */
export function* intrinsics(node: unknown, at = ''): Generator<readonly [name: string, argument: unknown, at: string]> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    if (
      !Array.isArray(node) &&
      (SCALARS.includes(name) || SEQUENCES.includes(name)) &&
      Object.keys(node).length === 1
    ) {
      yield [name, value, at];
    }
    yield* intrinsics(value, `${at}/${name}`);
  }
}
