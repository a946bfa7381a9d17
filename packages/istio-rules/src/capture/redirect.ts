import { annotations, hasAnnotation, readAnnotation } from '../pod/annotations.ts'
import { MAX_ID } from '../pod/owner-groups.ts'
import { podRef } from '../pod/pod-identity.ts'
import type { PodInfo } from '../pod/pod-info.ts'
import { loopbackCidr, proxyFlag, proxyOwnerGroups } from '../pod/proxy-env.ts'
import { RedirectError, type RedirectSource } from '../pod/redirect-error.ts'
import { unique } from '../pod/validators.ts'
import type { Capture } from './capture.ts'
import { checkRuleCount, type RuleLists } from './rule-count.ts'

/**
 * Redirection that a pod requests by annotations and its proxy's environment variables. `captureConfig` adds the
 * address families of the network namespace.
 */
export interface Redirect extends Capture<number, number> {
  /** User and group IDs under which the pod's proxy runs. */
  readonly proxyUID: number
  readonly proxyGID: number
  readonly dnsCapture: boolean
  /** True if the pod asks to capture IPv6 besides IPv4. */
  readonly dualStack: boolean
}

/** Ports that are never captured: 15020 (merged telemetry), 15021 (readiness) and 15090 (Envoy's telemetry). */
const AGENT_PORTS = [15020, 15021, 15090]

/** True if the pod turns capture off (`interceptionMode: NONE`). The plugin skips the pod with a log line. */
export function capturesNothing(pod: PodInfo): boolean {
  return (
    hasAnnotation(pod, annotations.interceptionMode) && pod.annotations[annotations.interceptionMode.key] === 'NONE'
  )
}

/**
 * Reads a pod's redirection from its annotations and its proxy's environment variables. Throws a {@link RedirectError}
 * for the first invalid value.
 *
 * @param options - `log` receives warnings about tolerated values; `env` contains the node's environment variables,
 * which set the defaults for owner groups and the loopback range
 *
 * @example
 * redirectFor(podInfo(pod)).excludeInboundPorts // [15020, 15021, 15090]
 */
export function redirectFor(
  pod: PodInfo,
  options: {
    readonly log?:
      | ((level: 'info' | 'warn', message: string, fields: Readonly<Record<string, unknown>>) => void)
      | undefined
    readonly env?: Readonly<Record<string, string | undefined>> | undefined
  } = {},
): Redirect {
  const { log = () => undefined, env = {} } = options
  const read = {
    interceptionMode: readAnnotation(pod, annotations.interceptionMode),
    includeOutboundIPRanges: readAnnotation(pod, annotations.includeOutboundIPRanges),
    excludeOutboundIPRanges: readAnnotation(pod, annotations.excludeOutboundIPRanges),
    excludeInboundPorts: unique([...readAnnotation(pod, annotations.excludeInboundPorts), ...AGENT_PORTS]),
    includeInboundPorts: readAnnotation(pod, annotations.includeInboundPorts),
    excludeOutboundPorts: readAnnotation(pod, annotations.excludeOutboundPorts),
    includeOutboundPorts: readAnnotation(pod, annotations.includeOutboundPorts),
    excludeInterfaces: readAnnotation(pod, annotations.excludeInterfaces),
    rerouteVirtualInterfaces: readAnnotation(pod, rerouteAnnotation(pod)),
  }
  const lists = { ...read, ownerGroups: proxyOwnerGroups(pod, env, log) }
  checkRuleCount(lists, (list, problem) => new RedirectError(sourceOf(pod, list), problem))
  return {
    ...lists,
    proxyUID: proxyId(pod, 'runAsUser', pod.proxyUID),
    proxyGID: proxyId(pod, 'runAsGroup', pod.proxyGID),
    dnsCapture: proxyFlag(pod, 'ISTIO_META_DNS_CAPTURE', log),
    dualStack: proxyFlag(pod, 'ISTIO_DUAL_STACK', log),
    dropInvalid: proxyFlag(pod, 'INVALID_DROP', log),
    loopbackCidr: loopbackCidr(env),
  }
}

/** Finds the annotation or variable that sets a list, for error messages. */
function sourceOf(pod: PodInfo, list: keyof RuleLists): RedirectSource {
  const found = list === 'rerouteVirtualInterfaces' ? rerouteAnnotation(pod) : annotationOf(list)
  const owner = `pod ${podRef(pod)}`
  if (found !== undefined) return { kind: 'annotation', key: found.key, value: pod.annotations[found.key] ?? '', owner }
  const key = 'ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE'
  return { kind: 'environment variable', key, value: pod.proxyEnv[key] ?? '', owner }
}

const annotationOf = (list: keyof RuleLists) => Object.entries(annotations).find(([name]) => name === list)?.[1]

/**
 * Chooses the annotation with the pod's virtual interfaces. The deprecated key counts only if the pod lacks the new
 * key.
 */
function rerouteAnnotation(pod: PodInfo) {
  const { rerouteVirtualInterfaces, kubevirtInterfaces } = annotations
  return hasAnnotation(pod, rerouteVirtualInterfaces) ? rerouteVirtualInterfaces : kubevirtInterfaces
}

/** Returns the proxy's user or group ID. Never returns 0, because root runs other processes too. */
function proxyId(pod: PodInfo, key: string, id: number | undefined): number {
  if (id === undefined || id === 0) return 1337
  if (Number.isInteger(id) && id > 0 && id <= MAX_ID) return id
  const source = { kind: 'securityContext', key, value: String(id), owner: `pod ${podRef(pod)}` } as const
  throw new RedirectError(source, `expected an id from 0 to ${MAX_ID}`)
}
