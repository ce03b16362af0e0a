/** A schema of the document, or any other object in it. */
interface Node {
  [key: string]: unknown;
}

/** What holds data and not schemas. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'const', 'enum', 'required']);

/**
 * Writes every schema of a document in the forms that generators of clients agree on, in place: null among the types,
 * any JSON as `{}`, free objects as such, numbers with their formats, patterns in the syntax every language has.
 */
export function writePlainly(document: object): void {
  visit(document as Node); // as: any object of the document
}

function visit(node: Node): void {
  for (const [key, value] of Object.entries(node)) {
    if (typeof value !== 'object' || value === null || DATA.has(key)) continue;
    // What stands below `properties` are names of members, not keywords.
    if (key === 'properties') for (const member of Object.values(value)) visit(member);
    else visit(value as Node); // as: null is excluded above
  }
  for (const rule of [nullAmongTypes, plainDefault, plainPattern, numberFormat, openness]) rule(node);
}

/**
 * `anyOf: [X, null]` is X with one type more; a reference cannot have one. `anyOf` with "anything" in it is anything.
 */
function nullAmongTypes(node: Node): void {
  if (!Array.isArray(node.anyOf)) return;
  const options = node.anyOf as readonly Node[]; // as: the options of a schema are schemas
  const others = options.filter(({ type }) => type !== 'null');
  const [only] = others;
  if (options.some(isAnything)) delete node.anyOf;
  else if (only && others.length === 1 && options.length === 2 && typeof only.type === 'string') {
    delete node.anyOf;
    Object.assign(node, { ...only, ...node, type: [only.type, 'null'] });
  }
}

/** Any JSON: it may be described, and nothing else. */
function isAnything(schema: Node): boolean {
  return Object.keys(schema).every((key) => key === 'description' || key === 'example');
}

/** What is left out is null where null is taken; a reference has no room for a default. */
function plainDefault(node: Node): void {
  if (node.default === null || '$ref' in node) delete node.default;
}

/** A format says it all; properties of Unicode are known to few. */
function plainPattern(node: Node): void {
  if (typeof node.pattern !== 'string') return;
  if (typeof node.format === 'string') delete node.pattern;
  else node.pattern = node.pattern.replaceAll('\\p{Cc}', '\\x00-\\x1F\\x7F-\\x9F').replaceAll('\\p{Cs}', '');
}

function numberFormat(node: Node): void {
  const types = Array.isArray(node.type) ? node.type : [node.type];
  if (types.includes('integer')) node.format ??= 'int64';
  else if (types.includes('number')) node.format ??= 'double';
}

/**
 * An object without named members is free; one with them is open unless it says otherwise. Generators in Java and
 * Python lose the members of objects that are closed by `additionalProperties`, and pass over the keyword that says the
 * same.
 */
function openness(node: Node): void {
  if (node.type !== 'object') return;
  delete node.propertyNames;
  if (Object.keys(node.properties ?? {}).length === 0) {
    node.additionalProperties ??= true;
    if (isEmpty(node.additionalProperties)) node.additionalProperties = true;
  } else if (node.additionalProperties === true || isEmpty(node.additionalProperties)) delete node.additionalProperties;
  else if (node.additionalProperties === false) {
    delete node.additionalProperties;
    node.unevaluatedProperties = false;
  }
}

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
