import { misspelt } from '@cni/host/similar'
import { isObject } from '@cni/types'
import type { core } from 'zod/mini'
import { shapeOf } from './walk.ts'

/** Members of the protocol. As in the reference implementation, `null` counts as missing for them. */
export const STANDARD = ['type', 'capabilities', 'runtimeConfig', 'args', 'ipMasq', 'ipam', 'dns']

/** A member of a configuration that neither the schema nor the protocol defines. */
export interface UnknownMember {
  /** Path from the outermost object to the member. */
  readonly path: readonly string[]
  /** Known member of which it is probably a misspelling. */
  readonly meant: string | undefined
}

/**
 * Maximum number of unknown members in an object that are compared with known ones. A hostile object may have
 * thousands.
 */
export const COMPARED = 20

/**
 * Members of a configuration that its schema does not list, also inside objects.
 * A schema without listed members has no unknown ones. Never suggests a known member that is already present.
 */
export function unknownMembers(schema: core.$ZodType, document: Readonly<Record<string, unknown>>): UnknownMember[] {
  const shape = shapeOf(schema)
  if (shape === undefined) return []
  const known = [...new Set([...Object.keys(shape), ...STANDARD, 'cniVersion', 'name', 'prevResult'])]
  return [
    ...unknownOf(known, document).filter(({ path: [member = ''] }) => !isOfRuntimes(member)),
    ...insideOf(shape, document, [...STANDARD, 'prevResult']),
  ]
}

/** True for a member that runtimes add in the namespace of the specification. */
export function isOfRuntimes(member: string): boolean {
  return member.startsWith('cni.dev/')
}

/** Known and missing member of which `member` is probably a misspelling. */
export function meantBy(member: string, known: readonly string[], given: object): string | undefined {
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
      meant: index < COMPARED ? meantBy(member, known, object) : undefined,
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
    return found.map(({ path, meant }) => ({ path: [member, ...path], meant }))
  })
}
