import { messageOf, quote } from '@cni/types'
import type { CaptureConfig } from '../capture/config.ts'
import { loopbackCidr } from '../pod/proxy-env.ts'
import { ownerList } from './lists.ts'

/**
 * Reads the node's variables for owner groups and the loopback range. Groups may be names, which iptables resolves
 * where the rules are written.
 *
 * @throws `Error` that names the variable.
 */
export function nodeCapture(
  env: Readonly<Record<string, string | undefined>>,
): Pick<CaptureConfig, 'ownerGroups' | 'loopbackCidr'> {
  return { ownerGroups: ownerGroups(env), loopbackCidr: loopbackCidr(env) }
}

// internal

/** Maximum number of included groups in a variable, as in Istio. */
const MAX_GROUPS = 64

function ownerGroups(env: Readonly<Record<string, string | undefined>>): CaptureConfig['ownerGroups'] {
  const include = env.ISTIO_OUTBOUND_OWNER_GROUPS ?? '*'
  const key = include === '*' ? 'ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE' : 'ISTIO_OUTBOUND_OWNER_GROUPS'
  const value = env[key] ?? ''
  try {
    const groups = ownerList(value)
    if (include === '*') return { mode: 'all-except', groups }
    if (groups.length <= MAX_GROUPS) return { mode: 'only', groups }
    throw new Error(`it lists ${groups.length} groups, at most ${MAX_GROUPS} are possible`)
  } catch (cause) {
    const problem = messageOf(cause)
    throw new Error(`environment variable ${key} is ${quote(value)}: ${problem}`, { cause })
  }
}
