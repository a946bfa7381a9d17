import { join } from 'node:path'
import { decideEnrolment } from '@cni/istio-rules'
import { netns } from '@cni/netns'
import { messageOf, printable } from '@cni/types'
import { whenAborted } from '../../part/when-aborted.ts'
import { findPodNamespaces } from '../../proc/find-pod-namespaces.ts'
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
import { keepKernel } from './keep-kernel.ts'
import { markNodeLevel, unmarkNodeLevel } from './left-behind.ts'
import { makeKernelSide } from './make-kernel-side.ts'
import { nodeEnroller } from './node-enroller.ts'
import { nodeZtunnels } from './node-ztunnels.ts'
import { removeSharedConfig, writeSharedConfig } from './shared-config.ts'
import { ztunnelLead } from './ztunnel-lead.ts'

/** How long the agent waits for what it does to pods just now. */
const SETTLE_MS = 800
/** How long it may take at the end to tell the API server that no pod is in the mesh any more. */
const FAREWELL_MS = 3000

/**
 * Takes part in the mesh until the signal, with traffic redirected on the node: the newest ztunnel that is ready serves
 * it, pods join by plugins and watches, and who is in is what the kernel says. Without a ztunnel all stays as it is, so
 * that traffic is dropped. At the end all of it goes unless another agent follows, who compares what it finds. Rejects when
 * the node's address is not known or the kernel cannot be asked.
 */
export async function runNodeLevel(options: RunAmbientOptions): Promise<void> {
  const { config, api, watches, log, metrics, signal, hostRoot, reach } = options
  const { nodeLevel, nodeName } = config
  if (nodeLevel === undefined) throw new Error('these settings are of ambient mode in pods')
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
    look: (wanted) => findPodNamespaces(wanted, hostProc),
    warn: (text) => log.warn(printable(text)),
  })
  let isAdopted = false
  const look = (uid: string): void => {
    if (isAdopted) pods.look(uid)
  }
  const seen = watchedPods({ config, log, look })
  // Not that signal: annotations are written at the end, too.
  const farewell = new AbortController()
  using patches = podPatches(api, { signal: farewell.signal, reach: reach?.of('pods/status') })
  const annotate = annotationWriter({ patch: patches.patch, wrote: seen.wrote })
  const pods = meshReconciler({
    seen,
    settings: config,
    metrics,
    log,
    signal: ending,
    enroller: nodeEnroller({ kernel, needsNetns, find: finder.find, hostRoot, annotate, log }),
  })
  const lead = ztunnelLead({
    kernel,
    ztunnels: () => ztunnels.all(),
    find: finder.find,
    async serves(ztunnel) {
      share(ztunnel !== undefined)
      metrics.ztunnels(ztunnel === undefined ? 0 : 1)
      if (ztunnel === undefined || !isAdopted) return
      await sweep()
      pods.lookAtPending()
    },
    log,
    signal: ending,
  })
  const ztunnels = nodeZtunnels({ systemNamespace: config.systemNamespace, changed: () => lead.look() })
  const running = {
    seen,
    pods,
    backend,
    ztunnels: () => (lead.serving() === undefined ? 0 : 1),
    problem: lead.problem,
    nodeLevel: () => ({
      mode: nodeLevel.mode,
      tunnel: nodeLevel.mode === 'node-iptables' ? nodeLevel.tunnel : undefined,
      hostIp: hostIp(),
      ztunnel: lead.serving()?.name,
    }),
  }
  options.tell({ ...running, isReady: false })
  const tasks = [
    ...clusterWatches({ seen, nodeName, api, watches, reach, log, signal: ending }),
    watches.follow({ api, nodeName }, ztunnels.observer, ending),
    keepKernel(kernel, { log, metrics, signal: ending }),
    seen.listed(ending).then(adopt),
  ]
  try {
    await Promise.race([...tasks.map(rejectOnly), whenAborted(signal)])
  } finally {
    failed.abort(new Error('ambient mode ends'))
    await Promise.allSettled(tasks)
    const settled = Promise.all([pods.idle(), lead.idle()])
    await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, SETTLE_MS).unref())])
  }
  if (options.isRemoved()) await remove()

  /** Takes over what is in the kernel since before this agent. */
  async function adopt(): Promise<void> {
    await sweep()
    isAdopted = true
    options.tell({ ...running, isReady: true })
    log.info('ambient mode is ready', { pods: seen.all().length, ztunnel: lead.serving()?.name })
    for (const { uid } of seen.all()) pods.look(uid)
    // Who is not listed yet may be ready.
    if (ztunnels.isListed()) lead.look()
  }

  /** Has all leave that is in the kernel and should not be: whoever was deleted, or relabelled, while nobody watched. */
  async function sweep(): Promise<void> {
    const there = seen.all()
    const gone = await kernel.retainPods(new Set(there.map(({ uid }) => uid)))
    if (gone.length > 0) {
      log.info('pods that are there no more are taken out of the mesh', { addresses: gone.join(', ') })
    }
    const enrolled = new Set((await kernel.listPods()).map(({ uid }) => uid))
    for (const pod of there) {
      if (!enrolled.has(pod.uid)) continue
      if (decideEnrolment(pod, seen.namespaceLabels(pod.namespace) ?? {}, config).enrolled) continue
      pods.adopt(pod)
      pods.look(pod.uid)
    }
  }

  async function remove(): Promise<void> {
    const enrolled = pods.enrolled()
    await kernel.stop()
    if (nodeLevel !== undefined) removeSharedConfig(nodeLevel.configFile)
    unmarkNodeLevel(config)
    log.info('nothing of the mesh is left on the node', { pods: enrolled.length })
    const timer = setTimeout(() => farewell.abort(new Error('the API server took too long')), FAREWELL_MS)
    const done = await Promise.allSettled(
      enrolled.map(async (uid) => {
        const pod = seen.situationOf(uid)?.pod
        if (pod !== undefined) await annotate(pod, undefined)
      }),
    )
    clearTimeout(timer)
    const problems = done.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []))
    if (problems.length === 0) return
    log.warn(`annotations of pods still say that they are in the mesh: ${printable(problems[0] ?? '')}`, {
      pods: problems.length,
    })
  }
}
