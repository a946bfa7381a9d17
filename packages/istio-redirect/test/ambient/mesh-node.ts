import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Netns } from '@cni/netns'
import { askDaemon } from '@cni/skel/daemon'
import { defaultProbeSource } from '../../../istio-rules/src/ambient/pod-rules.ts'
import { mode, settings } from '../../../istio-rules/test/ambient-pods.ts'
import { ambientMetrics } from '../../src/agent/ambient/ambient-metrics.ts'
import type { MakeKernelSide } from '../../src/agent/ambient/kernel-sides.ts'
import { redirectionAnnotation } from '../../src/agent/ambient/pods/annotation.ts'
import { type AmbientMode, startAmbientMode } from '../../src/agent/ambient/start-ambient.ts'
import type { AmbientConfig } from '../../src/agent/config/ambient-config.ts'
import { podWatches } from '../../src/agent/pods/pod-watches.ts'
import { metricsRegistry } from '../../src/agent/serve/metrics.ts'
import { podEvent } from '../../src/plugin/ambient-event.ts'
import { ambientGrants } from '../../src/testing/grants.ts'
import type { ZtunnelBehaviour } from '../../src/testing/node/ztunnel/behaviour.ts'
import { startZtunnel } from '../../src/testing/node/ztunnel/ztunnel.ts'
import { plainPod } from '../../src/testing/pods.ts'
import { addAddresses } from '../stage/kernel.ts'
import { recordingLog } from '../stage/log.ts'
import { onNode } from '../stage/pods.ts'
import { stage } from '../stage/stage.ts'
import { showProcess } from './node-files.ts'
import { recordingZtunnel } from './recording-ztunnel.ts'

/** Options of a pod that a test adds to the node. */
interface MeshPodOptions {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** Addresses of the pod, without prefix length. Default: the node's next free addresses. */
  readonly addresses?: readonly string[]
  /** True if the node's procfs has a process of the pod. Default: true. */
  readonly process?: boolean
  /** True if the pod's status in the API server contains the pod's addresses. Default: true. */
  readonly status?: boolean
  /** Members that are merged into the pod's specification. */
  readonly spec?: Readonly<Record<string, unknown>>
}

/** Test node in a network namespace of its own, with an API server, ztunnels and agents. */
export type MeshNode = Awaited<ReturnType<typeof meshNode>>

/** Pod of the test node, in a network namespace of its own. */
export type TestPod = Awaited<ReturnType<MeshNode['pod']>>

/** Addresses of the test node on the bridge of its pods. */
export const gateways = ['10.20.0.254', 'fd00:20::fe'] as const

/** Starts the test node `n1`. Pods of the Kubernetes namespace `shop` are ambient. */
export function meshNode(config: Partial<AmbientConfig> = {}, { network = false } = {}) {
  const parts = {
    api: { grants: ambientGrants, token: 'se.cr.et', namespaces: { shop: { [mode]: 'ambient' }, plain: {} } },
    kernel: {},
    ztunnel: recordingZtunnel,
    ...(network && { pods: { bridge: gateways } }),
  }
  return stage(parts, ({ api, account, node, root, path, stack, ztunnel, ztunnelSocket, pod: podOn }) => {
    for (const folder of ['run', 'netns']) mkdirSync(path(folder))
    const log: string[] = []
    const registry = metricsRegistry()
    let pids = 1
    let addresses = 1

    const show = (uid: string, namespace: Pick<Netns, 'path'>): (() => void) => {
      const pid = String(pids++)
      showProcess(root, pid, uid, namespace)
      return () => rmSync(path('proc', pid), { recursive: true })
    }
    // Makes process 1 of the test's procfs look like a kubelet in the node's network namespace.
    show('', node)
    writeFileSync(path('proc/1/comm'), 'kubelet\n')
    writeFileSync(path('proc/1/cmdline'), '/usr/bin/kubelet')
    writeFileSync(path('proc/1/status'), 'Uid:\t0\t0\t0\t0\n')

    /** Starts an agent's ambient mode on the test node. */
    const start = async (change: Partial<AmbientConfig> = {}, makeKernelSide?: MakeKernelSide) => {
      const merged: AmbientConfig = {
        ...settings,
        nodeName: 'n1',
        eventSocket: path('run/pluginevent.sock'),
        ztunnelSocket,
        capture: { ipv6: true, dnsCapture: true, probeSource: defaultProbeSource },
        reconcile: true,
        nativeNftables: false,
        forceIptablesBinary: 'nft',
        backendFile: path('run/ambient-backend.json'),
        switchToHost: true,
        branchInterfaces: false,
        podRoundMs: 30_000,
        ...config,
        ...change,
      }
      const started = await startAmbientMode({
        config: merged,
        api: account,
        watches: podWatches(),
        log: recordingLog(log),
        metrics: ambientMetrics(registry),
        requests: registry.counter('istio_cni_plugin_requests_total', 'requests', ['response_code']),
        failed: () => {},
        closed: () => {},
        hostRoot: root,
        makeKernelSide,
      })
      let isStopped = false
      const stop: AmbientMode['stop'] = async (why) => {
        if (!isStopped) await started.stop(why)
        isStopped = true
      }
      stack.defer(() => stop('followed'))
      return { ...started, stop }
    }

    const pod = async (options: MeshPodOptions) => {
      const { name, namespace = 'shop', labels = {}, annotations = {}, status = true, spec = {} } = options
      const uid = randomUUID()
      const own = options.addresses ?? [`10.20.0.${addresses}`, `fd00:20::${addresses}`]
      addresses += 1
      const netns = await podOn(...own)
      if (!network) await addAddresses(netns, own)
      symlinkSync(netns.path, path('netns', uid))
      const end = options.process === false ? () => {} : show(uid, netns)
      api.setPod({
        ...onNode(plainPod({ name, namespace, labels, annotations }), uid, { serviceAccountName: 'default', ...spec }),
        status: status ? { phase: 'Running', podIP: own[0], podIPs: own.map((ip) => ({ ip })) } : { phase: 'Pending' },
      })
      return {
        name,
        namespace,
        uid,
        netns,
        addresses: own,
        /** Value of the pod's annotation `ambient.istio.io/redirection`. */
        annotation: () => api.getPod(namespace, name)?.metadata.annotations?.[redirectionAnnotation],
        /** Changes the pod in the test's API server. */
        change(changed: { labels?: object; annotations?: object; status?: object; spec?: object }) {
          const now = api.getPod(namespace, name)
          if (now === undefined) throw new Error(`no pod ${name}`)
          const metadata = {
            ...now.metadata,
            labels: { ...now.metadata.labels, ...changed.labels },
            annotations: withoutAbsent({ ...now.metadata.annotations, ...changed.annotations }),
          }
          api.setPod({ ...now, metadata, spec: { ...now.spec, ...changed.spec }, status: changed.status ?? now.status })
        },
        delete: () => api.deletePod(namespace, name),
        /** Removes the pod's process from the test's procfs. */
        end,
        /** Event that the plugin would send to the agent for the pod. */
        event: (place = `/netns/${uid}`) =>
          podEvent({ netns: place, pod: { name, namespace }, ips: own.map((ip) => ({ address: `${ip}/24` })) }),
      }
    }

    return {
      api,
      /** Folder with all files of the test node. */
      root,
      netns: node,
      ztunnelSocket,
      eventSocket: path('run/pluginevent.sock'),
      log,
      /** Requests to the API server that changed a pod's annotations, as `name value`. */
      patches: () =>
        api.requests
          .filter(({ method }) => method === 'PATCH')
          .map(({ url, body }) => {
            const value = JSON.parse(body).metadata.annotations[redirectionAnnotation]
            return `${url.split('/').at(-2)} ${value}`
          }),
      pod,
      ztunnel,
      /** Starts a ztunnel stand-in that listens in the pods, as ztunnel does. */
      listeningZtunnel: (behaviour?: ZtunnelBehaviour) => stack.use(startZtunnel({ path: ztunnelSocket, behaviour })),
      start,
      /** Sends a pod's event to the agent, as the plugin does. */
      async hand({ event }: { event(): string }, body = event()) {
        const within = 20_000
        const question = { path: '/cmdadd', body, begunWithin: within, within, signal: new AbortController().signal }
        const { answer, reason, refusal } = await askDaemon(path('run/pluginevent.sock'), question)
        if (answer !== undefined) return { status: 200, body: answer }
        if (refusal === undefined) throw new Error(reason)
        return refusal
      },
      metrics: () => registry.text(),
    }
  })
}

// internal

const withoutAbsent = (annotations: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(annotations).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
