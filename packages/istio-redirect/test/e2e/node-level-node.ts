import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type Netns, netns, openRtnl } from '@cni/netns'
import { tempBpffs } from '../../../ebpf/test/bpffs.ts'
import { tunnelKind } from '../../../istio-node-level/test/kinds.ts'
import { mode } from '../../../istio-rules/test/ambient-pods.ts'
import { ambientGrants } from '../../src/testing/grants.ts'
import { connectFrom, startApp } from '../../src/testing/node/stand-ins.ts'
import { startTransparentZtunnel } from '../../src/testing/node/ztunnel/transparent-ztunnel.ts'
import { meshPod, plainPod } from '../../src/testing/pods.ts'
import { onNode } from '../stage/pods.ts'
import { stage } from '../stage/stage.ts'
import type { AgentProcess } from './agent-node.ts'
import { nodeLevelNetwork, type PluginCall, type RedirectedBy } from './node-level-network.ts'
import { ambientReady, startOnNode } from './on-node.ts'

/** A pod that the real ptp plugin has connected. */
export interface PtpPod {
  readonly netns: Netns
  readonly ip: string
  readonly uid: string
  annotation(): string | undefined
}

/** Options of a pod. */
export interface PtpPodOptions {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly labels?: Readonly<Record<string, string>>
  /** True if the pod has a sidecar, to which the plugin redirects its traffic. */
  readonly sidecar?: boolean
  readonly annotations?: Readonly<Record<string, string>>
  /** True if the runtime passes the UID. The agent then decides during the plugin's call. */
  readonly saysUid?: boolean
}

/** A pod that the real ptp plugin has connected, before the call of our plugin. */
export interface PodToAdd {
  readonly name: string
  readonly netns: Netns
  readonly call: PluginCall
  cleanUp(): Promise<void>
}

/** A ztunnel that can become ready and be killed. */
export interface NodeZtunnelPod extends PtpPod {
  readonly ztunnel: ReturnType<typeof startTransparentZtunnel>
  ready(is: boolean): void
  kill(): Promise<void>
}

/** The server that answers each connection, with the client address that it sees. Connects one after the other. */
export async function connect(from: PtpPod, to: PtpPod, times = 1): Promise<string[]> {
  const destinations = Array.from({ length: times }, () => ({ host: to.ip, port: 8080 }))
  const connections = await connectFrom(from.netns, 0, destinations)
  return connections.map(({ answer, error }) =>
    answer ? `${answer.served_by} saw ${answer.from?.replace('::ffff:', '')}` : (error ?? 'nobody'),
  )
}

/** A node with the real ptp plugin, an API server, compiled plugin and agent. Disposing removes everything. */
export async function nodeLevelNode(plugin: string, redirected: RedirectedBy = 'node-iptables') {
  const options = {
    agent: { env: { POD_NAMESPACE: 'istio-system', AMBIENT_ENABLED: 'true', AMBIENT_REDIRECT_MODE: redirected } },
    kernel: { sysctls: { 'net.ipv4.ip_forward': true }, lo: ['192.0.2.1/32'] },
    api: {
      inNode: true,
      grants: ambientGrants,
      token: 'se.cr.et',
      namespaces: { shop: { [mode]: 'ambient' }, plain: {}, 'istio-system': {} },
    },
    pods: 'none' as const,
  }
  return await stage(options, async ({ agents, node, api, stack, pod: newNetns }) => {
    /** A bpf file system of the node: pins outlive each agent, and must not stay on this machine. */
    const bpffs = redirected === 'node-ebpf' ? stack.use(tempBpffs()) : undefined
    api.setNode(
      'n1',
      {},
      { spec: { podCIDR: '10.61.0.0/24' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] } },
    )
    api.writeKubeconfig(agents.path('run'))
    const configFile = agents.path('ambient-config', 'config.json')
    Object.assign(agents.env, {
      AMBIENT_TUNNEL: await tunnelKind(),
      AMBIENT_CONFIG_FILE: configFile,
      ZTUNNEL_UDS_ADDRESS: agents.path('ztunnel.sock'),
    })
    const network = nodeLevelNetwork(agents, node, plugin, redirected)
    /** Processes by which the agent finds the namespaces: their made-up control groups name the pods. */
    const holders = new Map<string, ChildProcess>()
    const hold = (uid: string, where: Netns): ChildProcess => {
      const child = spawn('nsenter', [`--net=${where.path}`, 'sleep', '600'], { stdio: 'ignore' })
      stack.defer(() => void child.kill('SIGKILL'))
      mkdirSync(agents.path('cgroups'), { recursive: true })
      writeFileSync(agents.path('cgroups', uid), `0::/kubepods/besteffort/pod${uid}/c1\n`)
      holders.set(uid, child)
      return child
    }
    /** A pod at the API server only, and its namespace. */
    const scheduled = async (options: PtpPodOptions) => {
      const { namespace, name, uid, labels = {}, annotations = {}, sidecar = false, saysUid = false } = options
      const where = await newNetns()
      const stored = onNode((sidecar ? meshPod : plainPod)({ namespace, name, labels, annotations }), uid)
      api.setPod(stored)
      const args = [
        ['IgnoreUnknown', '1'],
        ['K8S_POD_NAMESPACE', namespace],
        ['K8S_POD_NAME', name],
        ...(saysUid ? [['K8S_POD_UID', uid] as const] : []),
      ] as const
      // The agent has its own mounts. It sees a namespace that is mounted later only through the descriptor.
      const path = `/proc/${process.pid}/fd/${where.fd}`
      return { where, stored, attachment: { containerID: `c${uid}`, netns: path, ifName: 'eth0', args } }
    }
    const pod = async (options: PtpPodOptions): Promise<PtpPod> => {
      const { namespace, name, uid } = options
      const { where, stored, attachment } = await scheduled(options)
      const ip = await network.add(attachment)
      const now = api.getPod(namespace, name) ?? stored
      api.setPod({ ...now, status: { phase: 'Running', podIP: ip } })
      // Programs are attached to a veth, which the agent finds from inside the pod.
      if (redirected === 'node-ebpf') hold(uid, where)
      const annotation = () => api.getPod(namespace, name)?.metadata.annotations?.['ambient.istio.io/redirection']
      return { netns: where, ip, uid, annotation }
    }
    return {
      api,
      node,
      pod,
      /** A pod without the call of our plugin yet. The call passes its UID. */
      async podToAdd(options: PtpPodOptions): Promise<PodToAdd> {
        const { where, attachment } = await scheduled({ ...options, saysUid: true })
        const { call } = await network.addButOurs(attachment)
        const cleanUp = async (): Promise<void> => {
          api.deletePod(options.namespace, options.name)
          await network.remove(attachment)
        }
        return { name: options.name, netns: where, call, cleanUp }
      },
      agents,
      shared: () => JSON.parse(readFileSync(configFile, 'utf8')),
      /** A ztunnel that is not ready yet. */
      async ztunnel(name: string, uid: string, minute: number): Promise<NodeZtunnelPod> {
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
      app: async (where: PtpPod, name: string) => stack.use(await startApp(where.netns, { name, ports: [8080] })),
      async start(): Promise<AgentProcess> {
        const shown = [...holders].map(
          ([uid, { pid }]) => `mount --bind ${agents.path('cgroups', uid)} /proc/${pid}/cgroup`,
        )
        const pins =
          bpffs === undefined
            ? []
            : ['(umount -l /sys/fs/bpf 2>/dev/null || true)', `mount --bind ${bpffs.path} /sys/fs/bpf`]
        return await ambientReady(startOnNode(agents, node, [...pins, ...shown]))
      },
      /** Rules, routes, policy rules, links and sets of the node, without counters. */
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
      /** The pins, and the names of the filters on the node's links. */
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
      /** The index of the node's end of a pod's veth. */
      async linkOf(where: Pick<PtpPod, 'netns'>): Promise<number> {
        using inside = await openRtnl(where.netns)
        return (await inside.getLink('eth0'))?.parent ?? 0
      },
      status: async () => JSON.parse((await agents.command('status', '--json')).stdout).ambient,
    }
  })
}
