import { quote } from '@cni/types'
import { isLoopback, parsePrefix } from './ip.ts'
import { type OwnerGroups, ownerGroups } from './owner-groups.ts'
import { podRef } from './pod-identity.ts'
import type { PodInfo } from './pod-info.ts'
import { parseFrom, type RedirectSource } from './redirect-error.ts'

/** Function that logs a warning if a variable of the proxy has an invalid value that the plugin tolerates. */
type RedirectLog = (level: 'info' | 'warn', message: string, fields: Readonly<Record<string, unknown>>) => void

/** Environment variables of the plugin's process. Variables that do not concern redirection may be missing. */
type Environment = Readonly<Record<string, string | undefined>>

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

/** Reads a boolean variable of the proxy. An invalid value means false, with a warning. */
export function proxyFlag(pod: PodInfo, key: string, log: RedirectLog): boolean {
  const value = own(pod.proxyEnv, key)
  if (value === undefined || FALSE.has(value)) return false
  if (TRUE.has(value)) return true
  log('warn', `environment variable ${key} of pod ${podRef(pod)} is ${quote(value)}, not a boolean: taken as false`, {
    key,
  })
  return false
}

/** Groups whose outbound traffic is captured. The proxy's variable takes precedence over the node's. */
export function proxyOwnerGroups(pod: PodInfo, env: Environment, log: RedirectLog): OwnerGroups {
  const includes = lookUp(pod, env, 'ISTIO_OUTBOUND_OWNER_GROUPS', '*')
  const excludes = lookUp(pod, env, 'ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE', '')
  // Validates both variables, because an error in the unused variable would appear only later.
  const only = parseFrom(includes, (value) => (value === '*' ? undefined : ownerGroups(value, 64)))
  const except = parseFrom(excludes, (value) => ownerGroups(value))
  if (only === undefined) return { mode: 'all-except', groups: except }
  const { key, owner } = includes
  if (only.length === 0) {
    log('warn', `environment variable ${key} of ${owner} is empty: nothing outbound is captured`, { key })
  }
  return { mode: 'only', groups: only }
}

/** Returns the IPv4 range that counts as loopback: the value of the node's variable, else 127.0.0.1/32. */
export function loopbackCidr(env: Environment): string {
  const key = 'ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR'
  const value = own(env, key) ?? '127.0.0.1/32'
  return parseFrom({ kind: 'environment variable', key, value, owner: 'this node' }, (text) => {
    const prefix = parsePrefix(text)
    if (prefix?.family === 'ipv4' && isLoopback(prefix.address) && prefix.bits >= 8) return prefix.cidr
    throw new Error('expected a range inside 127.0.0.0/8, such as "127.0.0.1/32"')
  })
}

function lookUp(pod: PodInfo, env: Environment, key: string, fallback: string): RedirectSource {
  const kind = 'environment variable'
  const ofPod = own(pod.proxyEnv, key)
  if (ofPod !== undefined) return { kind, key, value: ofPod, owner: `pod ${podRef(pod)}` }
  return { kind, key, value: own(env, key) ?? fallback, owner: 'this node' }
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
