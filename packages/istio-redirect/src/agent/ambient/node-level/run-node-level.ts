import { join } from 'node:path'
import { decideEnrolment } from '@cni/istio-rules'
import { netns } from '@cni/netns'
import { messageOf, printable } from '@cni/types'
import { findPodNamespaces } from '../../proc/find-pod-namespaces.ts'
import { whenAborted } from '../../shared/when-aborted.ts'
import { clusterWatches } from '../cluster-watches.ts'
import { namespaceFinder } from '../namespace/namespace-finder.ts'
import { annotationWriter } from '../pods/annotation-writer.ts'
import { meshReconciler } from '../pods/mesh-reconciler.ts'
import { podPatches } from '../pods/pod-patches.ts'
import { watchedPods } from '../pods/watched-pods.ts'
import { rejectOnly } from '../reject-only.ts'
import type { RunAmbientOptions } from '../run-options.ts'
import { askHostIp } from './ask-host-ip.ts'
import { hostedKernel } from './hosted-kernel.ts'
import { makeKernelSide } from './make-kernel-side.ts'
import { nodeEnroller } from './node-enroller.ts'
import { nodeZtunnels } from './node-ztunnels.ts'
import { markNodeLevel, unmarkNodeLevel } from './obsolete-redirection.ts'
import { reconcileKernel } from './reconcile-kernel.ts'
import { removeSharedConfig, writeSharedConfig } from './shared-config.ts'
import { ztunnelElection } from './ztunnel-election.ts'

/** Maximal time in milliseconds for which a stopping agent waits for running work on pods. */
const SETTLE_MS = 800
/** Maximal time in milliseconds in which a stopping agent removes the annotations of all pods. */
const CLEANUP_TIMEOUT_MS = 3000

/** Runs node-level redirection until the signal aborts. The redirection stays if another agent takes over. */
export async function runNodeLevel(options: RunAmbientOptions): Promise<void> {
  const { config, api, watches, log, metrics, signal, hostRoot, reach } = options
  const { nodeLevel, nodeName } = config
  if (nodeLevel === undefined) throw new Error('the settings are for redirection in pods, not on the node')
  await netns.warmPool()
  const hostProc = join(hostRoot, 'proc')
  using host = config.switchToHost ? netns.open(join(hostProc, '1/ns/net')) : undefined
  log.info(`ambient mode redirects on the node (${nodeLevel.mode}, experimental, IPv4 only)`)
  const share = (ztunnelReady: boolean): void => {
    const redirectMode = nodeLevel.mode === 'node-ebpf' ? 'ebpf' : 'iptables'
    writeSharedConfig(nodeLevel.configFile, { ztunnelReady, redirectMode })
  }
  share(false)
  const settings = await markNodeLevel(config, nodeLevel, host ?? 'host', log)
  const make = options.makeKernelSide ?? makeKernelSide
  const hosted = await hostedKernel({
    ask: () => askHostIp({ api, nodeName, host, given: nodeLevel.hostIp, signal }),
    make: (ip) => make({ config, nodeLevel, host, hostIp: ip, hostRoot, log, settings }),
    log,
  })
  const { needsNetns, backend, hostIp } = hosted
  using kernel = hosted.kernel
  const failed = new AbortController()
  const ending = AbortSignal.any([signal, failed.signal])
  const finder = namespaceFinder({
    search: (wanted) => findPodNamespaces(wanted, hostProc),
    warn: (text) => log.warn(printable(text)),
  })
  let isAdopted = false
  const enqueue = (uid: string): void => {
    if (isAdopted) pods.enqueue(uid)
  }
  const seen = watchedPods({ config, log, enqueue })
  // Separate AbortController for requests to the API server, because the agent still removes annotations after `ending`
  // has aborted.
  const cleanup = new AbortController()
  using patches = podPatches(api, { signal: cleanup.signal, reach: reach?.of('pods/status') })
  const annotate = annotationWriter({ patch: patches.patch, wrote: seen.wrote })
  const pods = meshReconciler({
    seen,
    settings: config,
    metrics,
    log,
    signal: ending,
    enroller: nodeEnroller({ kernel, needsNetns, find: finder.find, hostRoot, annotate, log }),
  })
  const election = ztunnelElection({
    kernel,
    ztunnels: () => ztunnels.all(),
    find: finder.find,
    async serves(ztunnel) {
      share(ztunnel !== undefined)
      metrics.ztunnels(ztunnel === undefined ? 0 : 1)
      if (ztunnel === undefined || !isAdopted) return
      await sweep()
      pods.enqueuePending()
    },
    log,
    signal: ending,
  })
  const ztunnels = nodeZtunnels({ systemNamespace: config.systemNamespace, changed: () => election.enqueue() })
  const running = {
    seen,
    pods,
    backend,
    ztunnels: () => (election.serving() === undefined ? 0 : 1),
    problem: election.problem,
    nodeLevel: () => ({
      mode: nodeLevel.mode,
      tunnel: nodeLevel.mode === 'node-iptables' ? nodeLevel.tunnel : undefined,
      hostIp: hostIp(),
      ztunnel: election.serving()?.name,
    }),
  }
  options.onRunning({ ...running, isReady: false })
  const tasks = [
    ...clusterWatches({ seen, nodeName, api, watches, reach, log, signal: ending }),
    watches.follow({ api, nodeName }, ztunnels.observer, ending),
    reconcileKernel(kernel, { log, metrics, signal: ending }),
    seen.listed(ending).then(adopt),
  ]
  try {
    await Promise.race([...tasks.map(rejectOnly), whenAborted(signal)])
  } finally {
    failed.abort(new Error('ambient mode stops'))
    await Promise.allSettled(tasks)
    const settled = Promise.all([pods.idle(), election.idle()])
    await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, SETTLE_MS).unref())])
  }
  if (options.isRemoved()) await remove()

  /** Takes over the pods that an earlier agent enrolled in the kernel. */
  async function adopt(): Promise<void> {
    await sweep()
    isAdopted = true
    options.onRunning({ ...running, isReady: true })
    log.info('ambient mode is ready', { pods: seen.all().length, ztunnel: election.serving()?.name })
    for (const { uid } of seen.all()) pods.enqueue(uid)
    // The election starts later if the list of ztunnels is incomplete.
    if (ztunnels.isListed()) election.enqueue()
  }

  /** Stops the redirection of pods that were deleted or relabelled while no agent watched. */
  async function sweep(): Promise<void> {
    const there = seen.all()
    const gone = await kernel.retainPods(new Set(there.map(({ uid }) => uid)))
    if (gone.length > 0) {
      log.info('deleted pods are removed from the mesh', { addresses: gone.join(', ') })
    }
    const enrolled = new Set((await kernel.listPods()).map(({ uid }) => uid))
    for (const pod of there) {
      if (!enrolled.has(pod.uid)) continue
      if (decideEnrolment(pod, seen.namespaceLabels(pod.namespace) ?? {}, config).enrolled) continue
      pods.adopt(pod)
      pods.enqueue(pod.uid)
    }
  }

  async function remove(): Promise<void> {
    const enrolled = pods.enrolled()
    await kernel.stop()
    if (nodeLevel !== undefined) removeSharedConfig(nodeLevel.configFile)
    unmarkNodeLevel(config)
    log.info('the redirection is removed from the node', { pods: enrolled.length })
    const timer = setTimeout(() => cleanup.abort(new Error('the API server took too long')), CLEANUP_TIMEOUT_MS)
    const done = await Promise.allSettled(
      enrolled.map(async (uid) => {
        const pod = seen.situationOf(uid)?.pod
        if (pod !== undefined) await annotate(pod, undefined)
      }),
    )
    clearTimeout(timer)
    const problems = done.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []))
    if (problems.length === 0) return
    log.warn(
      `cannot remove the annotations of some pods, which still show them as enrolled: ${printable(problems[0] ?? '')}`,
      {
        pods: problems.length,
      },
    )
  }
}
