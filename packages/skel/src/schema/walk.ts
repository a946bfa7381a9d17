import type { core } from 'zod/mini'

// Casts a zod schema to `$ZodTypes`, the union of all kinds of zod schema.
const known = (schema: core.$ZodType): core.$ZodTypes => schema as core.$ZodTypes

/** Removes wrappers such as optional, nullable and default from a zod schema. */
export function unwrap(schema: core.$ZodType): core.$ZodTypes {
  const { _zod } = known(schema)
  switch (_zod.def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return unwrap(_zod.def.innerType)
    case 'pipe':
      // Skips a zod transform, because a transform does not describe the values that it accepts.
      return unwrap(known(_zod.def.in)._zod.def.type === 'transform' ? _zod.def.out : _zod.def.in)
    case 'lazy':
      return unwrap(_zod.def.getter())
    default:
      return known(schema)
  }
}

/** Members that a zod object schema lists, with their schemas. */
export function shapeOf(schema: core.$ZodType): Readonly<Record<string, core.$ZodType>> | undefined {
  const { def } = unwrap(schema)._zod
  return def.type === 'object' ? def.shape : undefined
}

/** True if a zod object schema rejects members that it does not list. */
export function isStrict(schema: core.$ZodType): boolean {
  const { def } = unwrap(schema)._zod
  return def.type === 'object' && def.catchall !== undefined && known(def.catchall)._zod.def.type === 'never'
}

/** Finds the zod schema of the member at a path. Returns `undefined` below a union. */
export function schemaAt(schema: core.$ZodType, path: readonly PropertyKey[]): core.$ZodType | undefined {
  const [key, ...rest] = path
  if (key === undefined) return schema
  const inner = member(unwrap(schema), key)
  return inner === undefined ? undefined : schemaAt(inner, rest)
}

/** True if a zod schema or one of its checks has a custom error message. */
export function hasOwnMessage(schema: core.$ZodType): boolean {
  const { def } = unwrap(schema)._zod
  return def.error !== undefined || (def.checks ?? []).some((check) => check._zod.def.error !== undefined)
}

function member({ _zod }: core.$ZodTypes, key: PropertyKey): core.$ZodType | undefined {
  const { def } = _zod
  switch (def.type) {
    case 'object':
      return typeof key === 'string' && Object.hasOwn(def.shape, key) ? def.shape[key] : def.catchall
    case 'record':
    case 'map':
      return def.valueType
    case 'array':
      return def.element
    case 'tuple':
      return def.items[Number(key)] ?? def.rest ?? undefined
    default:
      return undefined
  }
}
