/** A part of an OpenAPI document. */
export interface Node {
  readonly [key: string]: unknown;
}

export interface Change {
  /** Whether a program that works with the document before may fail, or not compile, with the one after. */
  readonly breaking: boolean;
  readonly where: string;
  readonly what: string;
}

/** Who writes what a schema describes: the client, the service, or either. */
type Direction = 'request' | 'answer' | 'either';

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/**
 * What changed between two versions of the document. Texts and examples do not count. Clients may be told more and asked
 * no more: a member or a status that is new in an answer is additive; what is gone, renamed, of another type, newly required
 * of a request or newly absent from an answer is breaking, and so is a value that joins the enum of an answer.
 */
export function changesBetween(before: Node, after: Node): Change[] {
  return new Comparison(before, after).changes();
}

class Comparison {
  readonly #before: Node;
  readonly #after: Node;
  readonly #changes: Change[] = [];
  readonly #compared = new Set<string>();

  constructor(before: Node, after: Node) {
    this.#before = before;
    this.#after = after;
  }

  changes(): Change[] {
    this.#both(operationsOf(this.#before), operationsOf(this.#after), '', {
      same: (old, now, where) => this.#operation(old, now, where),
    });
    const models = (document: Node) => at(at(document, 'components'), 'schemas');
    this.#both(models(this.#before), models(this.#after), '#', {
      // A model that no operation refers to may be written or read.
      same: (old, now, where) => this.#isUncompared(where) && this.#schema(old, now, where, 'either'),
    });
    return this.#changes;
  }

  #isUncompared(where: string): boolean {
    const [, name = ''] = where.split('#/');
    return ![...this.#compared].some((key) => key.endsWith(` #/components/schemas/${name}`));
  }

  #note(breaking: boolean, where: string, what: string): void {
    this.#changes.push({ breaking, where, what });
  }

  /** Compares what has the same name on both sides; what is gone is breaking, what is new is as `added` says. */
  #both(
    before: Node,
    after: Node,
    where: string,
    how: { same(old: Node, now: Node, where: string): void; addedBreaks?(now: Node, name: string): boolean },
  ): void {
    for (const [name, old] of Object.entries(before)) {
      const now = after[name];
      if (now === undefined) this.#note(true, `${where}/${name}`, 'is gone');
      else how.same(old as Node, now as Node, `${where}/${name}`); // as: parts of a document
    }
    for (const name of Object.keys(after).filter((name) => !(name in before)))
      this.#note(how.addedBreaks?.(at(after, name), name) ?? false, `${where}/${name}`, 'is new');
  }

  #operation(old: Node, now: Node, where: string): void {
    this.#same(old, now, 'operationId', where);
    this.#same(old, now, 'security', where);
    this.#both(parametersOf(old), parametersOf(now), where, {
      same: (one, other, place) => {
        if (one.required !== true && other.required === true) this.#note(true, place, 'is now required');
        this.#schema(at(one, 'schema'), at(other, 'schema'), place, 'request');
      },
      addedBreaks: ({ required }) => required === true,
    });
    const bodies = [at(old, 'requestBody'), at(now, 'requestBody')] as const;
    if (bodies[0].required !== true && bodies[1].required === true) this.#note(true, where, 'now needs a body');
    this.#content(at(bodies[0], 'content'), at(bodies[1], 'content'), `${where} body`, 'request');
    this.#both(at(old, 'responses'), at(now, 'responses'), where, {
      same: (one, other, place) => {
        this.#both(at(one, 'headers'), at(other, 'headers'), `${place} header`, { same: () => {} });
        this.#content(at(one, 'content'), at(other, 'content'), place, 'answer');
      },
    });
  }

  #content(old: Node, now: Node, where: string, direction: Direction): void {
    this.#both(old, now, where, {
      same: (one, other, place) => this.#schema(at(one, 'schema'), at(other, 'schema'), place, direction),
    });
  }

  #schema(old: Node, now: Node, where: string, direction: Direction): void {
    if (typeof old.$ref === 'string' || typeof now.$ref === 'string') {
      if (old.$ref !== now.$ref) this.#note(true, where, `was ${old.$ref ?? 'inline'}, is ${now.$ref ?? 'inline'}`);
      else this.#model(String(old.$ref), direction);
      return;
    }
    for (const keyword of ['format', 'oneOf', 'allOf', 'const', 'additionalProperties', 'unevaluatedProperties'])
      if (typeof old[keyword] !== 'object') this.#same(old, now, keyword, where);
    this.#types(old, now, where, direction);
    this.#values(old, now, where, direction);
    this.#members(old, now, where, direction);
    if (direction !== 'answer') this.#bounds(old, now, where);
    for (const part of ['items', 'additionalProperties', 'anyOf'])
      if (typeof old[part] === 'object' && typeof now[part] === 'object')
        part === 'anyOf'
          ? this.#both(at(old, part), at(now, part), where, {
              same: (one, other, place) => this.#schema(one, other, place, direction),
              addedBreaks: () => true,
            })
          : this.#schema(at(old, part), at(now, part), `${where}/${part}`, direction);
  }

  #model(reference: string, direction: Direction): void {
    const key = `${direction} ${reference}`;
    if (this.#compared.has(key)) return;
    this.#compared.add(key);
    const find = (document: Node) => reference.split('/').slice(1).reduce(at, document);
    this.#schema(find(this.#before), find(this.#after), reference, direction);
  }

  #same(old: Node, now: Node, keyword: string, where: string): void {
    const [was, is] = [old[keyword], now[keyword]].map((value) => JSON.stringify(value));
    if (was !== is) this.#note(true, where, `${keyword} was ${was}, is ${is}`);
  }

  #types(old: Node, now: Node, where: string, direction: Direction): void {
    const [was, is] = [listOf(old.type), listOf(now.type)];
    const [more, fewer] = [is.filter((type) => !was.includes(type)), was.filter((type) => !is.includes(type))];
    if (more.length + fewer.length === 0) return;
    const fits = direction === 'request' ? fewer.length === 0 && was.length > 0 : more.length === 0 && is.length > 0;
    this.#note(direction === 'either' || !fits, where, `was of type ${was}, is of ${is}`);
  }

  #values(old: Node, now: Node, where: string, direction: Direction): void {
    if ((old.enum === undefined) !== (now.enum === undefined)) this.#note(true, where, 'is an enum, or was one');
    if (old.enum === undefined || now.enum === undefined) return;
    for (const value of listOf(old.enum).filter((value) => !listOf(now.enum).includes(value)))
      this.#note(true, where, `no longer has the value ${value}`);
    for (const value of listOf(now.enum).filter((value) => !listOf(old.enum).includes(value)))
      this.#note(direction !== 'request', where, `also has the value ${value}`);
  }

  #members(old: Node, now: Node, where: string, direction: Direction): void {
    const required = (schema: Node, name: string) => listOf(schema.required).includes(name);
    this.#both(at(old, 'properties'), at(now, 'properties'), where, {
      same: (one, other, place) => this.#schema(one, other, place, direction),
      addedBreaks: (_schema, name) => direction !== 'answer' && required(now, name),
    });
    for (const name of Object.keys(at(old, 'properties')).filter((name) => name in at(now, 'properties'))) {
      if (required(old, name) === required(now, name)) continue;
      const nowRequired = required(now, name);
      const fits = direction === 'request' ? !nowRequired : direction === 'answer' && nowRequired;
      this.#note(!fits, `${where}/${name}`, nowRequired ? 'is now required' : 'is no longer required');
    }
  }

  /** What a client may send must stay allowed. */
  #bounds(old: Node, now: Node, where: string): void {
    for (const [keyword, tighter] of Object.entries(TIGHTER)) {
      const [was, is] = [old[keyword], now[keyword]];
      if (was !== is)
        this.#note(is !== undefined && (was === undefined || tighter(was, is)), where, `${keyword} is ${is}`);
    }
  }
}

const raised = (was: unknown, is: unknown) => Number(is) > Number(was);
const lowered = (was: unknown, is: unknown) => Number(is) < Number(was);
const TIGHTER: Readonly<Record<string, (was: unknown, is: unknown) => boolean>> = {
  minimum: raised,
  minLength: raised,
  maximum: lowered,
  maxLength: lowered,
  pattern: () => true,
};

function at(node: Node, key: string): Node {
  return (node[key] ?? {}) as Node; // as: a part of a document
}

function listOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value].flat();
}

function operationsOf(document: Node): Node {
  const entries = Object.entries(at(document, 'paths')).flatMap(([path, item]) =>
    METHODS.filter((method) => method in (item as Node)).map((method) => [
      `${method.toUpperCase()} ${path}`,
      at(item as Node, method), // as: a path item
    ]),
  );
  return Object.fromEntries(entries);
}

function parametersOf({ parameters = [] }: Node): Node {
  return Object.fromEntries((parameters as readonly Node[]).map((one) => [`${one.in}:${one.name}`, one])); // as: a list of parameters
}
