import { CniError, ErrorCode, type normalizeNetConf } from '@cni/types'
import type { core } from 'zod/mini'
import { describeIssues } from './issues.ts'
import { isOfRuntimes, STANDARD } from './unknown-members.ts'
import { isStrict } from './walk.ts'

/**
 * The configuration as the plugin's schema makes it.
 *
 * @throws {@link CniError} 7 that names each wrong member, what is expected of it and what it is.
 */
export async function validateConfig<Conf>(
  schema: core.$ZodType<Conf>,
  document: ReturnType<typeof normalizeNetConf>,
): Promise<Conf> {
  const input: ReturnType<typeof normalizeNetConf> = { ...document }
  for (const member of STANDARD) {
    if (input[member] === null) delete input[member]
  }
  // Runtimes add these members, and no strict schema lists them.
  if (isStrict(schema)) for (const member of Object.keys(input).filter(isOfRuntimes)) delete input[member]
  // Through the schema itself: a plugin without a schema does not bundle zod.
  const parsed = await schema['~standard'].validate(input)
  if (parsed.issues === undefined) return parsed.value
  const issues = parsed.issues as readonly core.$ZodIssue[]
  throw new CniError(ErrorCode.invalidNetworkConfig, describeIssues(schema, issues, input).join('; '))
}
