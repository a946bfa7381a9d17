import { CniError, ErrorCode, type UncheckedNetConf } from '@cni/types'
import type { core } from 'zod/mini'
import { describeIssues } from './issues.ts'
import { shapeOf } from './walk.ts'

/** Members of the protocol; `null` means absent for them, as it does in the reference implementation. */
const STANDARD = ['type', 'capabilities', 'runtimeConfig', 'args', 'ipMasq', 'ipam', 'dns']

/**
 * The configuration as the plugin's schema makes it.
 *
 * @throws {@link CniError} 7 that names each wrong member, what is expected of it and what it is.
 */
export async function validateConfig<Conf>(schema: core.$ZodType<Conf>, document: UncheckedNetConf): Promise<Conf> {
  const input: UncheckedNetConf = { ...document }
  for (const member of STANDARD) {
    if (input[member] === null) delete input[member]
  }
  // Through the schema itself: to import zod's own function would cost a plugin without a schema 10 kB and 0.5 ms.
  const parsed = await schema['~standard'].validate(input)
  if (parsed.issues === undefined) return parsed.value
  const issues = parsed.issues as readonly core.$ZodIssue[]
  throw new CniError(ErrorCode.invalidNetworkConfig, describeIssues(schema, issues, input).join('; '))
}

/** Members that neither the schema nor the protocol knows; none when the schema does not list its members. */
export function unknownMembers(schema: core.$ZodType, document: UncheckedNetConf): string[] {
  const shape = shapeOf(schema)
  if (shape === undefined) return []
  const known = new Set([...Object.keys(shape), ...STANDARD, 'cniVersion', 'name', 'prevResult'])
  return Object.keys(document).filter((member) => !known.has(member) && !member.startsWith('cni.dev/'))
}
