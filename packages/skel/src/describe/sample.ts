import type { core } from 'zod/mini'
import { limitsOf } from '../schema/limits.ts'
import { shapeOf, unwrap } from '../schema/walk.ts'
import { exampleOf } from './description.ts'

/** True if the schema of a configuration member permits that the member is missing. */
export function isOptional(schema: core.$ZodType): boolean {
  return schema._zod.optin !== undefined
}

/** Sample value for a configuration member: an example, a default or the smallest valid value. */
export function sampleOf(schema: core.$ZodType): unknown {
  const example = exampleOf(schema)
  if (example !== undefined) return example
  const plain = unwrap(schema)
  const { def } = plain._zod
  switch (def.type) {
    case 'number':
      return sampleNumber(plain)
    case 'boolean':
      return true
    case 'enum':
      return Object.values(def.entries)[0]
    case 'literal':
      return def.values[0]
    case 'array':
      return Array.from({ length: limitsOf(plain).low ?? 0 }, () => sampleOf(def.element))
    case 'union':
      return def.options[0] === undefined ? null : sampleOf(def.options[0])
    case 'object':
      return sampleObject(shapeOf(plain) ?? {})
    case 'record':
      return {}
    case 'string':
      return SAMPLES[limitsOf(plain).formats[0] ?? ''] ?? '…'
    default:
      return '…'
  }
}

/** Sample configuration with the required members of a schema. */
export function sampleObject(shape: Readonly<Record<string, core.$ZodType>>): Record<string, unknown> {
  const required = Object.entries(shape).filter(([, member]) => !isOptional(member))
  return Object.fromEntries(required.map(([name, member]) => [name, sampleOf(member)]))
}

function sampleNumber(schema: core.$ZodTypes): number {
  const { low, lowExclusive, high } = limitsOf(schema)
  // Ignores the bound `Number.MIN_SAFE_INTEGER`, because zod gives it to every integer schema.
  if (low === undefined || low === Number.MIN_SAFE_INTEGER) return Math.min(1, high ?? 1)
  return lowExclusive ? low + 1 : low
}

const SAMPLES: Readonly<Record<string, string>> = {
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  cidrv4: '192.0.2.0/24',
  cidrv6: '2001:db8::/64',
  mac: '02:00:00:00:00:01',
  url: 'https://example.net/',
}
