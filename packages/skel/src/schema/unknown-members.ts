import { misspelt } from '@cni/host/similar'
import { isObject } from '@cni/types'
import type { core } from 'zod/mini'
import { shapeOf } from './walk.ts'

/** Configuration members that the CNI protocol defines. */
export const STANDARD = ['type', 'capabilities', 'runtimeConfig', 'args', 'ipMasq', 'ipam', 'dns']

/** A configuration member that neither the plugin's schema nor the CNI protocol defines. */
export interface UnknownMember {
  /** Path from the configuration's root to the unknown member. */
  readonly path: readonly string[]
  /** Name of the known member that the unknown member probably misspells. */
  readonly suggestion: string | undefined
}

/**
 * Maximum number of unknown members for which a similar name is searched. Hostile configurations may have thousands.
 */
export const COMPARED = 20

/** Finds members of a configuration that the plugin's schema does not list, also inside objects. */
export function unknownMembers(schema: core.$ZodType, document: Readonly<Record<string, unknown>>): UnknownMember[] {
  const shape = shapeOf(schema)
  if (shape === undefined) return []
  const known = [...new Set([...Object.keys(shape), ...STANDARD, 'cniVersion', 'name', 'prevResult'])]
  return [
    ...unknownOf(known, document).filter(({ path: [member = ''] }) => !isOfRuntimes(member)),
    ...insideOf(shape, document, [...STANDARD, 'prevResult']),
  ]
}

/** True for a configuration member that container runtimes add, with the prefix `cni.dev/` of the CNI specification. */
export function isOfRuntimes(member: string): boolean {
  return member.startsWith('cni.dev/')
}

/** Finds the known member name that an unknown name probably misspells. */
export function suggestionFor(member: string, known: readonly string[], given: object): string | undefined {
  return misspelt(
    member,
    known.filter((one) => !Object.hasOwn(given, one)),
  )
}

// internal

function unknownOf(known: readonly string[], object: Readonly<Record<string, unknown>>): UnknownMember[] {
  return Object.keys(object)
    .filter((member) => !known.includes(member))
    .map((member, index) => ({
      path: [member],
      suggestion: index < COMPARED ? suggestionFor(member, known, object) : undefined,
    }))
}

function insideOf(
  shape: Readonly<Record<string, core.$ZodType>>,
  object: Readonly<Record<string, unknown>>,
  except: readonly string[],
): UnknownMember[] {
  return Object.entries(shape).flatMap(([member, schema]) => {
    const value = object[member]
    if (!isObject(value) || except.includes(member)) return []
    const inner = shapeOf(schema)
    if (inner === undefined) return []
    const found = [...unknownOf(Object.keys(inner), value), ...insideOf(inner, value, [])]
    return found.map(({ path, suggestion }) => ({ path: [member, ...path], suggestion }))
  })
}
