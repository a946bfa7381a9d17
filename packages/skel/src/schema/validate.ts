import { CniError, ErrorCode, type normalizeNetConf } from '@cni/types'
import type { core } from 'zod/mini'
import { describeIssues } from './issues.ts'
import { isOfRuntimes, STANDARD } from './unknown-members.ts'
import { isStrict } from './walk.ts'

/** Validates a network configuration with the plugin's schema. */
export async function validateConfig<Conf>(
  schema: core.$ZodType<Conf>,
  document: ReturnType<typeof normalizeNetConf>,
): Promise<Conf> {
  const input: ReturnType<typeof normalizeNetConf> = { ...document }
  for (const member of STANDARD) {
    if (input[member] === null) delete input[member]
  }
  // Removes configuration members that container runtimes add, because strict schemas do not list them.
  if (isStrict(schema)) for (const member of Object.keys(input).filter(isOfRuntimes)) delete input[member]
  // Uses the schema's own method, because a plugin without a schema must not bundle zod.
  const parsed = await schema['~standard'].validate(input)
  if (parsed.issues === undefined) return parsed.value
  const issues = parsed.issues as readonly core.$ZodIssue[]
  throw new CniError(ErrorCode.invalidNetworkConfig, describeIssues(schema, issues, input).join('; '))
}
