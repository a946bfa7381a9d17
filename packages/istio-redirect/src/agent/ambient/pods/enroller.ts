import { join } from 'node:path'
import { type AmbientPod, type PodCapture, podOverrides, podRef } from '@cni/istio-rules'
import type { KubeRequest } from '@cni/kube'
import { netns } from '@cni/netns'
import { messageOf } from '@cni/types'
import type { WorkloadInfo } from '../../../zds/wire.ts'
import type { ScopedLog } from '../../shared/deps.ts'
import { driftCache, fingerprintAt, fingerprintOf } from '../namespace/drift-cache.ts'
import {
  enrolNamespace,
  namespaceDrift,
  releaseNamespace,
  releaseProven,
  routeDrift,
} from '../namespace/enrol-namespace.ts'
import type { NamespaceFinder } from '../namespace/namespace-finder.ts'
import type { IdentifiedLease, NetnsCache } from '../namespace/netns-cache.ts'
import type { ProbeSets } from '../node/probe-sets.ts'
import type { RulesOptions } from '../rules/installed-rules.ts'
import type { ZdsServer } from '../zds/options.ts'
import { type AnnotationWriterOptions, annotationWriter, type WriteAnnotation } from './annotation-writer.ts'
import { EnrolmentError } from './enrolment-error.ts'
import type { Reached, RulesToRemove } from './next-step.ts'

/** Options of {@link enroller}, which adds pods to the mesh. */
export interface EnrollerOptions extends AnnotationWriterOptions {
  /** Settings of traffic redirection that are equal for all pods. */
  readonly capture: Pick<PodCapture, 'ipv6' | 'dnsCapture' | 'probeSource'>
  readonly rules: RulesOptions
  readonly cache: NetnsCache
  readonly finder: NamespaceFinder
  readonly sets: Pick<ProbeSets, 'put' | 'drop'>
  readonly zds: Pick<ZdsServer, 'add' | 'remove'>
  /** Prefix for namespace paths from plugins: `/host` if the agent runs in a pod. */
  readonly hostRoot: string
  readonly log: ScopedLog
}

/** Options for the enrolment of one pod in the mesh. */
export interface EnrolOptions {
  readonly addresses: readonly string[]
  /** Path of the pod's network namespace, from a plugin's call. `''` if the enroller has to find the namespace. */
  readonly netns?: string | undefined
  /** AbortSignal that aborts when the plugin that requested the enrolment stops waiting. */
  readonly signal?: AbortSignal | undefined
  /** Called after each completed step of the enrolment, with the state that the pod has reached. */
  readonly reach: (reached: Reached) => void
}

/** Enroller of single pods. Callers must not run two operations on one pod at once. */
export interface Enroller {
  /** Enrols a pod completely. Rejects with an {@link EnrolmentError}. */
  enrol(pod: AmbientPod, options: EnrolOptions): Promise<void>
  /** Replaces the addresses of a pod in the node's address sets. */
  readdress(pod: AmbientPod, addresses: readonly string[]): Promise<void>
  /** Removes a pod from the mesh: deletes the pod's address entries, annotation and rules. */
  leave(
    pod: AmbientPod,
    options: { readonly rules: RulesToRemove; readonly patch: KubeRequest | undefined },
  ): Promise<void>
  readonly annotate: WriteAnnotation
  /** Repairs the redirection rules in a pod, and returns the corrected differences. */
  heal(pod: AmbientPod): Promise<readonly string[]>
}

/** Creates an {@link Enroller} for redirection in the network namespaces of pods. */
export function enroller(options: EnrollerOptions): Enroller {
  const { cache, finder, sets, zds, log, rules } = options
  const cleanPods = driftCache()

  const captureOf = (pod: AmbientPod): PodCapture => {
    const { bypassInbound, dnsCapture, virtualInterfaces, warnings } = podOverrides(pod)
    for (const text of warnings) log.warn(text, { pod: podRef(pod) })
    return {
      ...options.capture,
      bypassInbound,
      virtualInterfaces,
      dnsCapture: dnsCapture ?? options.capture.dnsCapture,
    }
  }

  const leaseOf = async (pod: AmbientPod, { addresses, netns: path = '' }: EnrolOptions): Promise<IdentifiedLease> => {
    if (path !== '') cache.setNetns(pod.uid, workloadOf(pod), openAt(options.hostRoot, path))
    const known = cache.lease(pod.uid)
    if (known !== undefined) return known
    const found = await finder.find(pod.uid, [...addresses, ...pod.addresses])
    if (found === undefined) throw new Error(noNamespaceOf(`pod ${podRef(pod)}`, pod.uid))
    cache.setNetns(pod.uid, workloadOf(pod), found)
    const lease = cache.lease(pod.uid)
    if (lease === undefined) throw new Error(`pod ${podRef(pod)} was removed during its enrolment`)
    return lease
  }

  /** Finds a pod's network namespace and installs the redirection rules. Returns a reference to the namespace. */
  const captured = async (pod: AmbientPod, given: EnrolOptions): Promise<IdentifiedLease> => {
    const isKnown = cache.has(pod.uid)
    let lease: IdentifiedLease | undefined
    try {
      const capture = captureOf(pod)
      lease = await leaseOf(pod, given)
      const { generation } = await enrolNamespace(lease.netns, capture, rules)
      // Records that the pod's rules are correct, because this call has just written them.
      if (generation !== undefined) cleanPods.remember(pod.uid, fingerprintAt(lease, capture, generation))
      return lease
    } catch (cause) {
      lease?.[Symbol.dispose]()
      // Removes the pod from ztunnels, because a ztunnel may have received the pod during the attempt.
      if (!isKnown && cache.forget(pod.uid)) await zds.remove(pod.uid)
      throw new EnrolmentError('IMPOSSIBLE', `pod add cannot be retried: ${messageOf(cause)}`, { cause })
    }
  }

  const readdress = async (pod: AmbientPod, addresses: readonly string[]): Promise<void> => {
    const off = await sets.put(pod.uid, addresses)
    if (off.length === 0) return
    const text = `traffic of the pod over ${off.join(', ')} is not in the mesh: IPv6 is off (AMBIENT_IPV6)`
    log.warn(text, { pod: podRef(pod) })
  }

  const annotate = annotationWriter(options)

  return {
    readdress,
    annotate,
    async enrol(pod, given) {
      const { addresses, reach, signal } = given
      using lease = await captured(pod, given)
      reach({ status: 'pending', addresses })
      try {
        await zds.add({ uid: pod.uid, workload: workloadOf(pod), netns: lease.netns }, { signal })
      } catch (cause) {
        await annotate(pod, 'pending').catch((error) =>
          log.warn(`cannot write the annotation of a pod: ${messageOf(error)}`, { pod: podRef(pod) }),
        )
        throw new EnrolmentError('UNACKNOWLEDGED', messageOf(cause), { cause })
      }
      try {
        await readdress(pod, addresses)
        reach({ status: 'enabled', addresses })
        await annotate(pod, 'enabled')
      } catch (cause) {
        throw new EnrolmentError('INCOMPLETE', messageOf(cause), { cause })
      }
    },
    async leave(pod, { rules: left, patch }) {
      await sets.drop(pod.uid)
      if (left !== 'none') {
        const found = cache.has(pod.uid) ? undefined : await finder.find(pod.uid, pod.addresses)
        if (found !== undefined) cache.setNetns(pod.uid, workloadOf(pod), found)
        using lease = cache.lease(pod.uid)
        // Keeps the pod in the cache on failure, because the retry needs the cached namespace.
        const release = left === 'all' ? releaseNamespace : releaseProven
        // Ignores the pod's annotations, which may be invalid. Removes all rules that the pod may have.
        const capture = { ...options.capture, bypassInbound: false, virtualInterfaces: [] }
        if (lease !== undefined) await release(lease.netns, capture, rules)
      }
      cache.forget(pod.uid)
      cleanPods.forget(pod.uid)
      await zds.remove(pod.uid)
      if (patch !== undefined) await annotate(pod, undefined, patch)
    },
    async heal(pod) {
      using lease = cache.lease(pod.uid)
      if (lease === undefined) return []
      const capture = captureOf(pod)
      const fingerprint = fingerprintOf(lease, capture, rules)
      if (cleanPods.isClean(pod.uid, fingerprint)) return []
      const readDrift = cleanPods.isSame(pod.uid, fingerprint) ? routeDrift : namespaceDrift
      const drift = await readDrift(lease.netns, capture, rules)
      if (drift.length > 0) await enrolNamespace(lease.netns, capture, rules)
      cleanPods.remember(pod.uid, fingerprint)
      return drift
    },
  }
}

/** Builds the error message for a pod or ztunnel whose network namespace is not found. */
export const noNamespaceOf = (what: string, uid: string): string =>
  `no process of ${what} (${uid}) shows its namespace, and no mount in /run/netns has its addresses`

/** Returns the names of a pod and of its service account, which the agent sends to ztunnel. */
export const workloadOf = ({ name, namespace, serviceAccount }: AmbientPod): WorkloadInfo => ({
  name,
  namespace,
  serviceAccount,
})

// internal

function openAt(hostRoot: string, path: string) {
  try {
    return netns.open(join(hostRoot, path))
  } catch (cause) {
    throw new Error(`failed to open netns: ${messageOf(cause)}`, { cause })
  }
}
