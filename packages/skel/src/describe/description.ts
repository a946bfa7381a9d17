import * as z from 'zod/mini'

/** Description of a configuration member, set with `z.describe` or `z.meta` in the plugin's schema. */
export function descriptionOf(schema: z.core.$ZodType): string | undefined {
  return layers(schema)
    .map((layer) => z.globalRegistry.get(layer)?.description)
    .find(Boolean)
}

/** Example value of a configuration member from `z.meta`, or its default. */
export function exampleOf(schema: z.core.$ZodType): unknown {
  for (const layer of layers(schema)) {
    const examples = z.globalRegistry.get(layer)?.examples
    if (Array.isArray(examples) && examples.length > 0) return examples[0]
  }
  return defaultOf(schema)
}

/** Default that the plugin's schema gives to a missing configuration member. */
export function defaultOf(schema: z.core.$ZodType): unknown {
  for (const { _zod } of layers(schema)) {
    const { def } = _zod
    if (def.type === 'default' || def.type === 'prefault') return def.defaultValue
  }
  return undefined
}

/** Lists a zod schema and the schemas that it wraps (optional, default and so on), outermost first. */
function layers(schema: z.core.$ZodType): z.core.$ZodTypes[] {
  // Casts the zod schema. The cast is safe, because `$ZodTypes` is the union of all kinds of `$ZodType`.
  const one = schema as z.core.$ZodTypes
  const { def } = one._zod
  const inner = 'innerType' in def ? def.innerType : def.type === 'pipe' ? def.in : undefined
  return inner === undefined ? [one] : [one, ...layers(inner)]
}
