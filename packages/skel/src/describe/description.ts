import * as z from 'zod/mini'

/** What the author said about a member with `z.describe` or `z.meta`. */
export function descriptionOf(schema: z.core.$ZodType): string | undefined {
  return layers(schema)
    .map((layer) => z.globalRegistry.get(layer)?.description)
    .find(Boolean)
}

/** A value the author gave as an example with `z.meta`, or as the default. */
export function exampleOf(schema: z.core.$ZodType): unknown {
  for (const layer of layers(schema)) {
    const examples = z.globalRegistry.get(layer)?.examples
    if (Array.isArray(examples) && examples.length > 0) return examples[0]
  }
  return defaultOf(schema)
}

/** The value that stands for an absent member. */
export function defaultOf(schema: z.core.$ZodType): unknown {
  for (const { _zod } of layers(schema)) {
    const { def } = _zod
    if (def.type === 'default' || def.type === 'prefault') return def.defaultValue
  }
  return undefined
}

/** The schema and those it wraps, outermost first. */
function layers(schema: z.core.$ZodType): z.core.$ZodTypes[] {
  // A parse boundary: `$ZodTypes` is the union of what a `$ZodType` can be.
  const one = schema as z.core.$ZodTypes
  const { def } = one._zod
  const inner = 'innerType' in def ? def.innerType : def.type === 'pipe' ? def.in : undefined
  return inner === undefined ? [one] : [one, ...layers(inner)]
}
