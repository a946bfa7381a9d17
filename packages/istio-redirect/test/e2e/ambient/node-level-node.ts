import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type Netns, netns, openRtnl, sysctl } from '@cni/netns'
import { tempBpffs } from '../../../../ebpf/test/bpffs.ts'
import { tunnelKind } from '../../../../istio-node-level/test/kinds.ts'
import { mode } from '../../../../istio-rules/test/ambient-pods.ts'
import { ambientGrants } from '../../../src/testing/grants.ts'
import { connectFrom, startApp } from '../../../src/testing/node/stand-ins.ts'
import { startTransparentZtunnel } from '../../../src/testing/node/ztunnel/transparent-ztunnel.ts'
import { meshPod, plainPod } from '../../../src/testing/pods.ts'
import { cniArgs } from '../../stage/cni-call.ts'
import { ambientReady, startOnNode } from '../../stage/on-node.ts'
import { onNode } from '../../stage/pods.ts'
import { stage } from '../../stage/stage.ts'
import { nodeLevelNetwork, type RedirectedBy } from './node-level-network.ts'

/** Test node for node-level redirection. */
type NodeLevelNode = Awaited<ReturnType<typeof nodeLevelNode>>

/** Pod that Debian's ptp plugin has connected to the test node. */
type PtpPod = Awaited<ReturnType<NodeLevelNode['pod']>>

/** Pod that Debian's ptp plugin has connected. The test makes the ADD call of our plugin later. */
export type PodToAdd = Awaited<ReturnType<NodeLevelNode['podToAdd']>>

/** Options of a pod that a test adds to the node. */
export interface PtpPodOptions {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly labels?: Readonly<Record<string, string>>
  /** True if the pod has a sidecar, to which our plugin redirects the pod's traffic. */
  readonly sidecar?: boolean
  readonly annotations?: Readonly<Record<string, string>>
  /** True if the test passes the pod's UID to our plugin. */
  readonly saysUid?: boolean
}

/** Connects to a pod's server, and reports the client address that the server saw. */
export async function connect(from: PtpPod, to: PtpPod, times = 1): Promise<string[]> {
  const destinations = Array.from({ length: times }, () => ({ host: to.ip, port: 8080 }))
  const connections = await connectFrom(from.netns, 0, destinations)
  return connections.map(({ answer, error }) =>
    answer ? `${answer.served_by} saw ${answer.from?.replace('::ffff:', '')}` : (error ?? 'nobody'),
  )
}

/**
 * Starts a test node with Debian's ptp plugin, an API server, our compiled plugin and agent. Disposing removes
 * everything.
 */
export async function nodeLevelNode(plugin: string, redirected: RedirectedBy = 'node-iptables') {
  const options = {
    agent: { env: { POD_NAMESPACE: 'istio-system', AMBIENT_ENABLED: 'true', AMBIENT_REDIRECT_MODE: redirected } },
    kernel: { lo: ['192.0.2.1/32'] },
    api: {
      inNode: true,
      grants: ambientGrants,
      token: 'se.cr.et',
      namespaces: { shop: { [mode]: 'ambient' }, plain: {}, 'istio-system': {} },
    },
  }
  return await stage(options, async ({ agents, node, api, stack, pod: newNetns }) => {
    await sysctl(node).set('net.ipv4.ip_forward', true)
    /** The node has its own bpf file system, because pinned programs outlive the agent. */
    const bpffs = redirected === 'node-ebpf' ? stack.use(tempBpffs()) : undefined
    api.setNode(
      'n1',
      {},
      { spec: { podCIDR: '10.61.0.0/24' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] } },
    )
    api.writeKubeconfig(agents.path('run'))
    const configFile = agents.path('ambient-config', 'config.json')
    Object.assign(agents.env, { AMBIENT_TUNNEL: await tunnelKind(), AMBIENT_CONFIG_FILE: configFile })
    const network = nodeLevelNetwork(agents, node, plugin, redirected)
    /** Processes in the pods' namespaces, by pod UID. The agent finds a namespace by the process's cgroup. */
    const holders = new Map<string, ChildProcess>()
    const hold = (uid: string, where: Netns): ChildProcess => {
      const child = spawn('nsenter', [`--net=${where.path}`, 'sleep', '600'], { stdio: 'ignore' })
      stack.defer(() => void child.kill('SIGKILL'))
      mkdirSync(agents.path('cgroups'), { recursive: true })
      writeFileSync(agents.path('cgroups', uid), `0::/kubepods/besteffort/pod${uid}/c1\n`)
      holders.set(uid, child)
      return child
    }
    /** Creates a pod in the API server and a network namespace for the pod, without calling a plugin. */
    const scheduled = async (options: PtpPodOptions) => {
      const { namespace, name, uid, labels = {}, annotations = {}, sidecar = false, saysUid = false } = options
      const where = await newNetns()
      const stored = onNode((sidecar ? meshPod : plainPod)({ namespace, name, labels, annotations }), uid)
      api.setPod(stored)
      const args = [...cniArgs(namespace, name), ...(saysUid ? [['K8S_POD_UID', uid] as const] : [])]
      // Uses a file descriptor, because the agent's mount namespace would not contain a later mount.
      const path = `/proc/${process.pid}/fd/${where.fd}`
      return { where, stored, attachment: { containerID: `c${uid}`, netns: path, ifName: 'eth0', args } }
    }
    const pod = async (options: PtpPodOptions) => {
      const { namespace, name, uid } = options
      const { where, stored, attachment } = await scheduled(options)
      const ip = await network.add(attachment)
      const now = api.getPod(namespace, name) ?? stored
      api.setPod({ ...now, status: { phase: 'Running', podIP: ip } })
      // Starts a process in the pod, because the eBPF agent needs one.
      if (redirected === 'node-ebpf') hold(uid, where)
      const annotation = () => api.getPod(namespace, name)?.metadata.annotations?.['ambient.istio.io/redirection']
      return { netns: where, ip, uid, annotation }
    }
    return {
      api,
      node,
      pod,
      /** Creates a pod without calling our plugin. Returns a prepared `call` of the plugin's ADD with the pod's UID. */
      async podToAdd(options: PtpPodOptions) {
        const { where, attachment } = await scheduled({ ...options, saysUid: true })
        const call = await network.addButOurs(attachment)
        const cleanUp = async (): Promise<void> => {
          api.deletePod(options.namespace, options.name)
          await network.remove(attachment)
        }
        return { name: options.name, netns: where, call, cleanUp }
      },
      agents,
      shared: () => JSON.parse(readFileSync(configFile, 'utf8')),
      /** Creates a pod with a ztunnel stand-in that is not ready yet. */
      async ztunnel(name: string, uid: string, minute: number) {
        const made = await pod({ namespace: 'istio-system', name, uid, labels: { app: 'ztunnel' } })
        const holder = holders.get(uid) ?? hold(uid, made.netns)
        const ztunnel = startTransparentZtunnel(made.netns)
        stack.defer(() => ztunnel.stop())
        const ready = (is: boolean): void => {
          const now = api.getPod('istio-system', name)
          if (now === undefined) throw new Error(`no pod ${name}`)
          const conditions = [{ type: 'Ready', status: is ? 'True' : 'False' }]
          const metadata = { ...now.metadata, creationTimestamp: `2024-05-01T10:0${minute}:00Z` }
          api.setPod({ ...now, metadata, status: { phase: 'Running', podIP: made.ip, conditions } })
        }
        const kill = async (): Promise<void> => {
          ready(false)
          holder.kill('SIGKILL')
          holders.delete(uid)
          await ztunnel.stop()
        }
        return { ...made, ztunnel, ready, kill }
      },
      app: async (where: { readonly netns: Netns }, name: string) =>
        stack.use(await startApp(where.netns, { name, ports: [8080] })),
      async start() {
        const shown = [...holders].map(
          ([uid, { pid }]) => `mount --bind ${agents.path('cgroups', uid)} /proc/${pid}/cgroup`,
        )
        const pins =
          bpffs === undefined
            ? []
            : ['(umount -l /sys/fs/bpf 2>/dev/null || true)', `mount --bind ${bpffs.path} /sys/fs/bpf`]
        return await ambientReady(startOnNode(agents, node, [...pins, ...shown]))
      },
      /** Lists rules, routes, policy rules, links and sets in the test node's network namespace, without counters. */
      async traces(): Promise<string> {
        const look = async (...argv: readonly [string, ...string[]]) => (await netns.exec(node, argv)).stdout
        const parts = [
          await look('iptables-save'),
          await look('ip', 'rule'),
          await look('ip', 'route', 'show', 'table', 'all'),
          await look('ip', '-o', 'link'),
          await look('ipset', 'list', '-n'),
        ]
        return parts.join('\n')
      },
      /** Lists the pinned eBPF programs, and the names of the filters on the test node's links. */
      async programs(): Promise<{ readonly pins: readonly string[]; readonly filters: readonly string[] }> {
        using rtnl = await openRtnl(node)
        const links = await rtnl.getLinks()
        const filters = await Promise.all(links.map(({ index }) => rtnl.getFilters({ link: index })))
        const pins = bpffs === undefined ? [] : readdirSync(bpffs.path, { recursive: true, encoding: 'utf8' })
        return {
          pins: pins.filter((name) => name.startsWith('ambient')),
          filters: filters.flatMap((each) => each.flatMap(({ name }) => name ?? [])).toSorted(),
        }
      },
      /** Returns the interface index of the node's end of a pod's veth. */
      async linkOf(where: { readonly netns: Netns }): Promise<number> {
        using inside = await openRtnl(where.netns)
        return (await inside.getLink('eth0'))?.parent ?? 0
      },
      status: async () => JSON.parse((await agents.command('status', '--json')).stdout).ambient,
    }
  })
}
