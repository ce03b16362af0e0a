/** A JSON Schema as the OpenAPI document shows it. */
type Shown = Readonly<Record<string, unknown>>;

/**
 * For `.meta()`: the OpenAPI document shows this schema in place of what zod derives, with the same description and
 * example. For what zod takes apart itself: a number in a query, whose zod schema is a text of digits.
 */
export function documentedAs(shown: Shown) {
  return {
    override({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
      const { description, example } = jsonSchema;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      Object.assign(jsonSchema, shown, description === undefined ? {} : { description });
      if (example !== undefined) jsonSchema.example = example;
    },
  };
}
