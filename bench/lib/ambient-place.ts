import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiServer } from '@cni/kube/testing'
import { type Netns, netns } from '@cni/netns'
import { loadSys } from '@cni/netns/sys'
import { connectMarked } from '../../packages/istio-redirect/src/testing/node/ztunnel/marked-sockets.ts'
import type { Agent } from './agent-place.ts'
import { type BenchPod, MODE, NODE, showProcesses } from './ambient-pods.ts'

/** An agent in ambient mode, with its own root folder and network namespace. */
export interface AmbientPlace extends AsyncDisposable {
  /** Joins names to a path inside the agent's root folder. */
  path(...parts: string[]): string
  /** Id of the agent's process, or of its last process if the agent has ended. */
  readonly pid: number
  /** Path of the Unix socket on which the agent listens for ztunnel. */
  readonly ztunnelSocket: string
  /** Adds pod processes to the simulated `/proc`, in which the agent finds the pods' network namespaces. */
  show(pods: readonly BenchPod[]): void
  /** Starts the agent without waiting until it is ready. */
  start(): void
  isReady(): Promise<boolean>
  /** Reports a started pod to the agent. Returns the milliseconds until the answer. */
  event(body: string): Promise<number>
  /** CPU time of the agent and of its child processes that have ended, in milliseconds. */
  cpuMs(): number
  /** Memory of the agent in MB, and number of its open file descriptors. */
  memory(): { readonly megabytes: number; readonly descriptors: number }
  /** Ends the agent's process. The agent's rules and ipsets stay, as in an upgrade. */
  stop(): Promise<void>
}

const SELECTOR = `- podSelector: {matchLabels: {"${MODE}": ambient}}`

/** Options for an agent in ambient mode and its root folder. */
export interface AmbientPlaceOptions {
  /** Additional environment variables of the agent. */
  readonly env?: Readonly<Record<string, string>>
  /** Open file descriptor to which the agent writes its log. */
  readonly log?: number
}

/** Prepares an agent's root folder. The pods' namespaces must be files in `/run/netns`. */
export function ambientPlace(
  { name, agent, plugin }: Agent,
  node: Netns,
  api: ApiServer,
  options: AmbientPlaceOptions = {},
): AmbientPlace {
  const folder = mkdtempSync(join(tmpdir(), `cni-a-${name}-`))
  const sys = loadSys()
  const mounts: string[] = []
  const mount = (source: string, target: string, type: string, flags: number): void => {
    mkdirSync(target, { recursive: true })
    sys.mount(source, target, type, flags, '')
    mounts.push(target)
  }
  const inside = (...parts: string[]): string => join(folder, ...parts)
  const MS_BIND_REC = 0x1000 | 0x4000
  mount('tmpfs', folder, 'tmpfs', 0)
  for (const one of ['usr', 'lib', 'lib64', 'bin', 'sbin', 'etc', 'proc', 'dev']) {
    if (existsSync(`/${one}`)) mount(`/${one}`, inside(one), '', MS_BIND_REC)
  }
  mount('/run/netns', inside('host/var/run/netns'), '', MS_BIND_REC)
  const account = inside('var/run/secrets/kubernetes.io/serviceaccount')
  const folders = [
    'opt/cni/bin',
    'tmp',
    'run',
    'var/run/istio-cni',
    'var/run/ztunnel',
    'host/etc/cni/net.d',
    'host/opt/cni/bin',
  ]
  for (const one of [account, ...folders.map((path) => inside(path))]) mkdirSync(one, { recursive: true })
  copyFileSync(agent, inside('install-cni'))
  copyFileSync(plugin, inside('opt/cni/bin/istio-cni'))
  writeFileSync(join(account, 'ca.crt'), api.ca)
  writeFileSync(join(account, 'token'), api.token)
  const conflist = { cniVersion: '0.3.1', name: 'k8s-pod-network', plugins: [{ type: 'calico' }] }
  writeFileSync(inside('host/etc/cni/net.d/10-calico.conflist'), JSON.stringify(conflist))
  const { hostname, port } = new URL(api.url)
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    NODE_NAME: NODE,
    KUBERNETES_NODE_NAME: NODE,
    POD_NAMESPACE: 'istio-system',
    REPAIR_ENABLED: 'false',
    AMBIENT_ENABLED: 'true',
    AMBIENT_ENABLEMENT_SELECTOR: SELECTOR,
    AMBIENT_IPV6: 'true',
    AMBIENT_DNS_CAPTURE: 'true',
    AMBIENT_RECONCILE_POD_RULES_ON_STARTUP: 'true',
    // Fixes the back end of iptables, because Istio's agent would otherwise choose another back end at its second
    // start.
    FORCE_IPTABLES_BINARY: 'nft',
    ZTUNNEL_UDS_ADDRESS: '/var/run/ztunnel/ztunnel.sock',
    ...options.env,
  }
  let child: ChildProcess | undefined
  const status = (file: string): string => readFileSync(`/proc/${child?.pid}/${file}`, 'utf8')
  const place: AmbientPlace = {
    path: inside,
    get pid() {
      return child?.pid ?? 0
    },
    ztunnelSocket: inside('var/run/ztunnel/ztunnel.sock'),
    show: (pods) => showProcesses(folder, pods),
    start() {
      const quiet = options.log ?? (process.env.CNI_BENCH_LOG === undefined ? 'ignore' : 'inherit')
      const argv = [`--root=${folder}`, '--wd=/', '/install-cni']
      child = netns.run(node, () => spawn('/usr/bin/unshare', argv, { env, stdio: ['ignore', quiet, quiet] }))
    },
    isReady: () =>
      answered({ agent: undefined, createConnection: () => health(node), path: '/readyz' }).then(
        ({ ok }) => ok,
        () => false,
      ),
    async event(body) {
      const began = performance.now()
      const socketPath = inside('var/run/istio-cni/pluginevent.sock')
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const { ok, text } = await answered({ socketPath, path: '/cmdadd', method: 'POST', headers }, body)
      if (!ok) throw new Error(`${name} refused a pod: ${text}`)
      return performance.now() - began
    },
    cpuMs() {
      const times = status('stat')
        .replace(/^.*\) /s, '')
        .split(' ')
        .slice(11, 15)
        .map(Number)
      return times.reduce((sum, ticks) => sum + ticks * TICK_MS, 0)
    },
    memory() {
      const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status('status'))?.[1])
      return { megabytes: kilobytes / 1024, descriptors: readdirSync(`/proc/${child?.pid}/fd`).length }
    },
    async stop() {
      const ending = child
      child = undefined
      if (ending === undefined || ending.exitCode !== null) return
      const exit = once(ending, 'exit')
      ending.kill('SIGTERM')
      const late = sleep(20_000, 'late' as const, { ref: false })
      if ((await Promise.race([exit, late])) === 'late') ending.kill('SIGKILL')
      await exit
    },
    async [Symbol.asyncDispose]() {
      await place.stop()
      for (const path of mounts.toReversed()) sys.umount2(path, 2)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return place
}

/** Opens a TCP connection to the agent's health endpoint. */
const health = (node: Netns): Socket =>
  new Socket({ fd: connectMarked(node, { address: '127.0.0.1', port: 8000 }), readable: true, writable: true })

/** Clock ticks per second in /proc/PID/stat (USER_HZ). */
const TICK_MS = 10

function answered(options: object, body = ''): Promise<{ ok: boolean; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ agent: false, ...options }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      response.on('end', () => resolve({ ok: response.statusCode === 200, text }))
    })
    asked.on('error', reject).end(body)
  })
}
