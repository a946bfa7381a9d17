import { join } from 'node:path'
import { belongsInSnapshot, decideEnrolment, statusAnnotation } from '@cni/istio-rules'
import { type Netns, netns } from '@cni/netns'
import { messageOf, printable } from '@cni/types'
import type { Backend } from '../../backend.ts'
import { findPodNamespaces } from '../proc/find-pod-namespaces.ts'
import { kubeletUser } from '../proc/kubelet-user.ts'
import { whenAborted } from '../shared/when-aborted.ts'
import { clusterWatches } from './cluster-watches.ts'
import { namespaceCheck } from './namespace/namespace-check.ts'
import { namespaceFinder } from './namespace/namespace-finder.ts'
import { netnsCache } from './namespace/netns-cache.ts'
import { branchInterfaces, needsBranchRoutes } from './node/branch-interfaces.ts'
import { chooseBackend } from './node/choose-backend.ts'
import { nodeAddresses } from './node/node-addresses.ts'
import { nodeProbes } from './node/node-probes.ts'
import { reconcileNode } from './node/reconcile-node.ts'
import { reconcileObserver } from './node/reconcile-observer.ts'
import { removeObsolete } from './node-level/obsolete-redirection.ts'
import { enroller, workloadOf } from './pods/enroller.ts'
import { meshReconciler } from './pods/mesh-reconciler.ts'
import { podPatches } from './pods/pod-patches.ts'
import { reconcilePods } from './pods/reconcile-pods.ts'
import { watchedPods } from './pods/watched-pods.ts'
import { rejectOnly } from './reject-only.ts'
import type { RunAmbientOptions } from './run-options.ts'
import { startZds } from './zds/server.ts'

/** Maximal time in milliseconds for which a stopping agent waits for running work on pods. */
const SETTLE_MS = 800

/** Runs ambient mode until the signal aborts. Rules in pods stay for the next agent. */
export async function runAmbient(options: RunAmbientOptions): Promise<void> {
  const { config, api, watches, log, metrics, signal, hostRoot, reach } = options
  // Starts the thread pool now, because threads from a pod's namespace stay in that namespace.
  await netns.warmPool()
  const hostProc = join(hostRoot, 'proc')
  using host = config.switchToHost ? netns.open(join(hostProc, '1/ns/net')) : undefined
  await removeObsolete(config, host ?? 'host', log)
  const backend = await backendOf(options, host)
  const native = backend === 'nftables'
  const rules = { native, reconcile: config.reconcile, ...(backend === 'nftables' ? {} : { backend }) }
  const node = nodeProbes(config.capture, {
    netns: host,
    ...(backend === 'nftables' ? { native: { kubeletUid: await kubeletUser(hostProc) } } : { backend }),
  })
  using cache = netnsCache(hostProc)
  const branches = config.branchInterfaces && needsBranchRoutes(hostProc) ? branchInterfaces(host ?? 'host') : undefined
  const addresses = nodeAddresses(node.sets, branches)
  let adopted = (): void => {}
  const ready = new Promise<void>((resolve) => {
    adopted = resolve
  })
  await using zds = startZds({
    path: config.ztunnelSocket,
    snapshot: cache.snapshot,
    ready,
    log,
    observe(event) {
      if (event.type !== 'connections') return
      metrics.ztunnels(event.connected)
      if (event.connected > 0) pods.enqueuePending()
    },
  })
  await node.apply()
  let isAdopted = false
  const failed = new AbortController()
  const ending = AbortSignal.any([signal, failed.signal])
  const enqueue = (uid: string): void => {
    if (isAdopted) pods.enqueue(uid)
  }
  const seen = watchedPods({ config, log, enqueue })
  using patches = podPatches(api, { signal: ending, reach: reach?.of('pods/status') })
  const finder = namespaceFinder({
    search: (wanted) => findPodNamespaces(wanted, hostProc, cache.holders()),
    warn: (text) => log.warn(printable(text)),
  })
  const pods = meshReconciler({
    seen,
    settings: config,
    namespaces: namespaceCheck(cache, hostProc),
    metrics,
    log,
    signal: ending,
    enroller: enroller({
      capture: config.capture,
      rules,
      cache,
      finder,
      sets: addresses,
      zds,
      hostRoot,
      patch: patches.patch,
      wrote: seen.wrote,
      log,
    }),
  })
  const ztunnels = (): number => zds.connections().filter(({ state }) => state === 'live').length
  const running = { seen, pods, ztunnels, backend }
  options.onRunning({ ...running, isReady: false })
  const tasks = [
    ...clusterWatches({ seen, nodeName: config.nodeName, api, watches, reach, log, signal: ending }),
    reconcileNode(node, { signal: ending, observe: reconcileObserver(log, metrics) }),
    seen.listed(ending).then(adopt),
  ]
  try {
    await Promise.race([...tasks.map(rejectOnly), whenAborted(signal)])
  } finally {
    failed.abort(new Error('ambient mode stops'))
    // Closes the socket for ztunnels first, because this ends the work on pods that waits for a ztunnel.
    await zds.close()
    await Promise.allSettled(tasks)
    await Promise.race([pods.idle(), new Promise((resolve) => setTimeout(resolve, SETTLE_MS).unref())])
  }
  if (options.isRemoved()) {
    await branches?.removeAll()
    await node.remove()
  }

  /** Starts to manage the pods that an earlier agent enrolled. Changes nothing in these pods. */
  async function adopt(): Promise<void> {
    const before = seen.all().filter((pod) => belongsInSnapshot(pod, config) && !hasSidecar(pod.annotations))
    const { namespaces, warnings } = await findPodNamespaces(
      new Map(before.map((pod) => [pod.uid, pod.addresses])),
      hostProc,
    )
    for (const text of warnings) log.warn(printable(text))
    for (const pod of before) {
      const found = namespaces.get(pod.uid)
      if (found === undefined) cache.add(pod.uid, workloadOf(pod))
      else cache.setNetns(pod.uid, workloadOf(pod), found)
      pods.adopt(pod)
    }
    await adoptThoseWhoLeft()
    await addresses.sync(new Map(before.map((pod) => [pod.uid, pod.addresses])))
    isAdopted = true
    adopted()
    options.onRunning({ ...running, isReady: true })
    log.info('ambient mode is ready', {
      enrolledBefore: before.length,
      withoutProcess: before.length - namespaces.size,
    })
    for (const { uid } of seen.all()) pods.enqueue(uid)
    await reconcilePods(pods, { signal: ending, roundMs: config.podRoundMs })
  }

  /** Finds pods that left the mesh while no agent ran, for removal by the reconciler. */
  async function adoptThoseWhoLeft(): Promise<void> {
    const entries = await node.sets.list().catch((error) => {
      log.warn(`cannot read the address sets of an earlier agent: ${printable(messageOf(error))}`)
      return []
    })
    const inSets = new Set(entries.map(({ uid }) => uid))
    for (const pod of seen.all()) {
      const labels = seen.namespaceLabels(pod.namespace)
      if (labels === undefined || !inSets.has(pod.uid)) continue
      if (!decideEnrolment(pod, labels, config).enrolled) pods.adopt(pod, hasSidecar(pod.annotations))
    }
  }
}

// internal

async function backendOf({ config, log }: RunAmbientOptions, host: Netns | undefined): Promise<Backend> {
  const { nativeNftables, forceIptablesBinary: forced, backendFile: stateFile, capture } = config
  const { backend, why, warnings } = await chooseBackend(
    { nativeNftables, forced, ipv6: capture.ipv6 },
    { netns: host, stateFile },
  )
  for (const text of warnings) log.warn(printable(text))
  log.info(`ambient mode writes its rules with ${backend}: ${why}`)
  return backend
}

const hasSidecar = (annotations: Readonly<Record<string, string>>): boolean =>
  Object.hasOwn(annotations, statusAnnotation)
