import * as z from 'zod/mini'

/** Description of a member, set with `z.describe` or `z.meta`. */
export function descriptionOf(schema: z.core.$ZodType): string | undefined {
  return layers(schema)
    .map((layer) => z.globalRegistry.get(layer)?.description)
    .find(Boolean)
}

/** Example of a value, set with `z.meta`, or else its default. */
export function exampleOf(schema: z.core.$ZodType): unknown {
  for (const layer of layers(schema)) {
    const examples = z.globalRegistry.get(layer)?.examples
    if (Array.isArray(examples) && examples.length > 0) return examples[0]
  }
  return defaultOf(schema)
}

/** Default of a missing member. */
export function defaultOf(schema: z.core.$ZodType): unknown {
  for (const { _zod } of layers(schema)) {
    const { def } = _zod
    if (def.type === 'default' || def.type === 'prefault') return def.defaultValue
  }
  return undefined
}

/** A schema and the schemas that it wraps, outermost first. */
function layers(schema: z.core.$ZodType): z.core.$ZodTypes[] {
  // This cast is safe: `$ZodTypes` is the union of all kinds of `$ZodType`.
  const one = schema as z.core.$ZodTypes
  const { def } = one._zod
  const inner = 'innerType' in def ? def.innerType : def.type === 'pipe' ? def.in : undefined
  return inner === undefined ? [one] : [one, ...layers(inner)]
}
