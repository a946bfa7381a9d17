import { misspelt } from '@cni/host/similar'
import { isObject } from '@cni/types'
import type { core } from 'zod/mini'
import { shapeOf } from './walk.ts'

/** Members of the protocol; `null` means absent for them, as it does in the reference implementation. */
export const STANDARD = ['type', 'capabilities', 'runtimeConfig', 'args', 'ipMasq', 'ipam', 'dns']

/** A member of a configuration that neither the schema nor the protocol knows. */
export interface UnknownMember {
  /** From the outside to the member. */
  readonly path: readonly string[]
  /** The known one it is a misspelling of, probably. */
  readonly meant: string | undefined
}

/** How many unknown members of an object are compared with the known ones: a hostile one may have thousands. */
export const COMPARED = 20

/**
 * The members of a configuration that its schema does not list, also those of objects inside it. A schema that lists no
 * members has no unknown ones. A known member that the configuration has is not suggested.
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

/** Whether a member is one of those that runtimes add under the name of the specification. */
export function isOfRuntimes(member: string): boolean {
  return member.startsWith('cni.dev/')
}

/** What was probably meant by a member, among the known ones that are not there. */
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
