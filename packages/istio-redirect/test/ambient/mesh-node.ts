import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import { type Netns, openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { defaultProbeSource } from '../../../istio-rules/src/ambient/pod-rules.ts'
import { mode, settings } from '../../../istio-rules/test/ambient-pods.ts'
import { postOverUnix, type UnixAnswer } from '../../../kube/src/http/unix-post.ts'
import { ambientMetrics } from '../../src/agent/ambient/ambient-metrics.ts'
import type { MakeKernelSide } from '../../src/agent/ambient/kernel-sides.ts'
import { redirectionAnnotation } from '../../src/agent/ambient/pods/annotation.ts'
import { type StartedAmbient, startAmbient } from '../../src/agent/ambient/start-ambient.ts'
import type { AmbientConfig } from '../../src/agent/config/ambient-config.ts'
import { podWatches } from '../../src/agent/pods/pod-watches.ts'
import { metricsRegistry } from '../../src/agent/serve/metrics.ts'
import { podEvent } from '../../src/plugin/ambient-event.ts'
import { ambientGrants } from '../../src/testing/grants.ts'
import { plainPod } from '../../src/testing/pods.ts'
import { podNetwork, withBits } from './pod-network.ts'
import { type RecordingZtunnel, recordingZtunnel } from './recording-ztunnel.ts'

/** What a test wants of a pod. */
export interface MeshPodOptions {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** Without prefix length. Default: the next one. */
  readonly addresses?: readonly string[]
  /** Whether a process of it can be found. Default: true. */
  readonly process?: boolean
  /** Whether its status has its addresses. Default: true. */
  readonly status?: boolean
  /** Merged into its specification. */
  readonly spec?: Readonly<Record<string, unknown>>
}

/** A pod with a namespace of its own. */
export interface TestPod {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly netns: Netns
  readonly addresses: readonly string[]
  /** What its annotation says. */
  annotation(): string | undefined
  /** Changes it at the API server. */
  change(change: { labels?: object; annotations?: object; status?: object; spec?: object }): void
  delete(): void
  /** Says that its process has ended. */
  end(): void
  /** What a plugin would send. */
  event(path?: string): string
}

/** A node in namespaces of its own, with an API server, ztunnels and agents. */
export interface MeshNode extends AsyncDisposable {
  readonly api: ApiServer
  readonly netns: Netns
  readonly ztunnelSocket: string
  readonly eventSocket: string
  readonly log: string[]
  /** Requests that changed annotations: `name value`. */
  patches(): string[]
  pod(options: MeshPodOptions): Promise<TestPod>
  ztunnel(): RecordingZtunnel
  /** Starts the agent's ambient mode. */
  start(change?: Partial<AmbientConfig>, makeKernelSide?: MakeKernelSide): Promise<StartedAmbient>
  /** Hands a pod over as a plugin. */
  hand(pod: TestPod, body?: string): Promise<UnixAnswer>
  metrics(): Promise<string>
}

/** What a test wants of a node. */
export interface MeshNodeOptions {
  /** Whether its pods reach each other, and the node. Default: they have addresses, and that is all. */
  readonly network?: boolean
}

/** The node `n1`, on which pods of the namespace `shop` are ambient. */
export async function meshNode(
  config: Partial<AmbientConfig> = {},
  { network = false }: MeshNodeOptions = {},
): Promise<MeshNode> {
  const root = mkdtempSync(join(tmpdir(), 'cni-mesh-'))
  const path = (...parts: string[]): string => join(root, ...parts)
  const disposables = new AsyncDisposableStack()
  disposables.defer(() => rmSync(root, { recursive: true, force: true }))
  const node = disposables.use(await tempNetns())
  const connect = network ? await podNetwork(node) : address
  const api = disposables.use(await startApiServer({ grants: ambientGrants, token: 'se.cr.et' }))
  api.setNamespace('shop', { [mode]: 'ambient' })
  api.setNamespace('plain', {})
  for (const folder of ['run', 'zt', 'netns', 'sa']) mkdirSync(path(folder))
  writeFileSync(path('sa/token'), 'se.cr.et')
  writeFileSync(path('sa/ca.crt'), api.ca)
  const log: string[] = []
  const line =
    (level: string) =>
    (text: string, labels: object = {}) =>
      void log.push(`${level} ${text} ${JSON.stringify(labels)}`)
  const registry = metricsRegistry()
  let pids = 1
  let addresses = 1

  const showProcess = (uid: string, namespace: string): (() => void) => {
    const pid = String(pids++)
    mkdirSync(path('proc', pid, 'ns'), { recursive: true })
    symlinkSync(namespace, path('proc', pid, 'ns/net'))
    writeFileSync(path('proc', pid, 'cgroup'), `0::/kubepods/besteffort/pod${uid}/c${pid}\n`)
    writeFileSync(path('proc', pid, 'stat'), `${pid} (app) S ${'0 '.repeat(18)}100 0`)
    return () => rmSync(path('proc', pid), { recursive: true })
  }
  // The first process is the node's own, and its kubelet.
  showProcess('', node.path)
  writeFileSync(path('proc/1/comm'), 'kubelet\n')
  writeFileSync(path('proc/1/cmdline'), '/usr/bin/kubelet')
  writeFileSync(path('proc/1/status'), 'Uid:\t0\t0\t0\t0\n')

  const start: MeshNode['start'] = async (change = {}, makeKernelSide) => {
    const merged: AmbientConfig = {
      ...settings,
      nodeName: 'n1',
      eventSocket: path('run/pluginevent.sock'),
      ztunnelSocket: path('zt/ztunnel.sock'),
      capture: { ipv6: true, dnsCapture: true, probeSource: defaultProbeSource },
      reconcile: true,
      nativeNftables: false,
      forceIptablesBinary: 'nft',
      backEndFile: path('run/ambient-backend.json'),
      switchToHost: true,
      branchInterfaces: false,
      podRoundMs: 30_000,
      ...config,
      ...change,
    }
    const started = await startAmbient({
      config: merged,
      api: { server: api.url, tokenFile: path('sa/token'), caFile: path('sa/ca.crt'), namespace: 'istio-system' },
      watches: podWatches(),
      log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
      metrics: ambientMetrics(registry),
      requests: registry.counter('istio_cni_plugin_requests_total', 'requests', ['response_code']),
      failed: () => {},
      closed: () => {},
      hostRoot: root,
      makeKernelSide,
    })
    let isStopped = false
    const stop: StartedAmbient['stop'] = async (why) => {
      if (!isStopped) await started.stop(why)
      isStopped = true
    }
    disposables.defer(() => stop('followed'))
    return { ...started, stop }
  }

  const pod: MeshNode['pod'] = async (options) => {
    const { name, namespace = 'shop', labels = {}, annotations = {}, status = true, spec = {} } = options
    const netns = disposables.use(await tempNetns())
    const uid = randomUUID()
    const own = options.addresses ?? [`10.20.0.${addresses}`, `fd00:20::${addresses}`]
    addresses += 1
    await connect(netns, own)
    symlinkSync(netns.path, path('netns', uid))
    const end = options.process === false ? () => {} : showProcess(uid, netns.path)
    const base = plainPod({ name, namespace, labels, annotations })
    const statusOf = (ips: readonly string[]) => ({
      phase: 'Running',
      podIP: ips[0],
      podIPs: ips.map((ip) => ({ ip })),
    })
    api.setPod({
      ...base,
      metadata: { ...base.metadata, uid },
      spec: { ...base.spec, nodeName: 'n1', serviceAccountName: 'default', ...spec },
      status: status ? statusOf(own) : { phase: 'Pending' },
    })
    return {
      name,
      namespace,
      uid,
      netns,
      addresses: own,
      annotation: () => api.getPod(namespace, name)?.metadata.annotations?.[redirectionAnnotation],
      change({ labels: newLabels, annotations: newAnnotations, status: newStatus, spec: newSpec }) {
        const now = api.getPod(namespace, name)
        if (now === undefined) throw new Error(`no pod ${name}`)
        const metadata = {
          ...now.metadata,
          labels: { ...now.metadata.labels, ...newLabels },
          annotations: withoutAbsent({ ...now.metadata.annotations, ...newAnnotations }),
        }
        api.setPod({ ...now, metadata, spec: { ...now.spec, ...newSpec }, status: newStatus ?? now.status })
      },
      delete: () => api.deletePod(namespace, name),
      end,
      event: (place = `/netns/${uid}`) =>
        podEvent({ netns: place, pod: { name, namespace }, ips: own.map((ip) => ({ address: `${ip}/24` })) }),
    }
  }

  return {
    api,
    netns: node,
    ztunnelSocket: path('zt/ztunnel.sock'),
    eventSocket: path('run/pluginevent.sock'),
    log,
    patches: () =>
      api.requests
        .filter(({ method }) => method === 'PATCH')
        .map(({ url, body }) => {
          const value = JSON.parse(body).metadata.annotations[redirectionAnnotation]
          return `${url.split('/').at(-2)} ${value}`
        }),
    pod,
    ztunnel: () => disposables.use(recordingZtunnel(path('zt/ztunnel.sock'))),
    start,
    hand: ({ event }, body = event()) =>
      postOverUnix(path('run/pluginevent.sock'), { path: '/cmdadd', body, timeoutMs: 20_000 }),
    metrics: () => registry.text(),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

// internal

async function address(pod: Netns, addresses: readonly string[]): Promise<void> {
  using rtnl = await openRtnl(pod)
  await rtnl.addLink({ name: 'eth0', kind: 'bridge' })
  await rtnl.setLinkUp('eth0')
  for (const each of addresses) await rtnl.addAddress('eth0', withBits(each))
}

const withoutAbsent = (annotations: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(annotations).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
