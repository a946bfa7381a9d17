import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Exec, realExec } from '@cni/invoke'
import type { Grant, StoredPod } from '@cni/kube/testing'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import { type Cni, cni } from '@cni/libcni'
import { type NetnsTarget, netns, openRtnl } from '@cni/netns'
import type { Conflist, PluginConf } from '@cni/types'

/** Folder of Debian's reference plugins (package containernetworking-plugins). */
export const REFERENCE_PLUGINS = '/usr/lib/cni'

/** Call of one plugin of the chain, as the test node's runtime records it. */
export interface PluginRun {
  verb: string
  plugin: string
  exit: number
  ms: number
}

export interface NodeOptions {
  /** Existing folder that receives all files of the test node. */
  folder: string
  /** Network namespace of the test node, with its bridges, the host ends of veths and the API server. */
  target: NetnsTarget
  /** Plugin under test: a compiled file, or a script with `#!` and an absolute interpreter. */
  plugin: string
  pods: readonly StoredPod[]
  /** Additional members of the plugin's configuration in the conflist. */
  conf?: Readonly<Record<string, unknown>>
  /** Additional permissions of the plugin's token. The plugin is always permitted to get pods and namespaces. */
  grants?: readonly Grant[]
}

/**
 * Test double of a Kubernetes node with pods and an API server. The plugin chain consists of Debian's plugins `bridge`
 * and `host-local`, and the plugin under test.
 */
export interface Node extends AsyncDisposable {
  readonly binDir: string
  readonly confDir: string
  readonly cacheDir: string
  readonly runDir: string
  readonly conflist: Conflist
  readonly api: ApiServer
  /** Test node's container runtime, which executes the plugin chain. */
  readonly runtime: Cni
  /** Plugin calls of the test node so far, in order. */
  readonly runs: readonly PluginRun[]
  /** Lines that the plugins wrote to stderr. A container runtime would write them to its own log. */
  readonly log: readonly string[]
  /** Lists the names of the plugin's attachment records in the state folder. */
  stateFiles(): string[]
  /** Lists the pod addresses that the IPAM plugin host-local has allocated. */
  leases(): string[]
}

/** Network `cni-loopback`, which containerd adds to every pod first, to bring the loopback interface up. */
export const LOOPBACK: Conflist = { cniVersion: '0.3.1', name: 'cni-loopback', plugins: [{ type: 'loopback' }] }

/** Addresses of the test node on its bridge. The pods use them as gateways. */
export const GATEWAY = { ipv4: '10.222.0.1', ipv6: 'fd00:10:222::1' } as const

/** Builds the test node in the given network namespace and folder. Changes nothing outside of them. */
export async function startNode(options: NodeOptions): Promise<Node> {
  const at = (name: string): string => {
    const path = join(options.folder, name)
    mkdirSync(path, { recursive: true, mode: 0o755 })
    return path
  }
  const [binDir, confDir, cacheDir, runDir, ipamDir] = [at('bin'), at('net.d'), at('cache'), at('run'), at('ipam')]
  const reference = ['loopback', 'bridge', 'host-local'].map((name) => join(REFERENCE_PLUGINS, name))
  for (const plugin of [...reference, options.plugin]) {
    const copy = join(binDir, basename(plugin))
    copyFileSync(plugin, copy)
    chmodSync(copy, 0o755)
  }
  {
    using rtnl = await openRtnl(options.target)
    await rtnl.setLinkUp('lo')
  }
  netns.run(options.target, skipDuplicateAddressDetection)
  const api = await startApiServer({ pods: options.pods, netns: options.target, grants: options.grants ?? [] })
  api.writeKubeconfig(runDir)
  const entry = { type: basename(options.plugin), cni_agent_run_dir: runDir, ...options.conf }
  const conflist = conflistOf(ipamDir, entry)
  writeFileSync(join(confDir, '10-demo.conflist'), `${JSON.stringify(conflist, null, 2)}\n`)
  const runs: PluginRun[] = []
  const log: string[] = []
  const exec = execIn(options.target, runs)
  return {
    binDir,
    confDir,
    cacheDir,
    runDir,
    conflist,
    api,
    runs,
    log,
    runtime: cni({
      path: [binDir],
      cacheDir,
      exec,
      env: { PATH: process.env.PATH },
      stderr: (text) => log.push(String(text)),
    }),
    stateFiles: () => namesIn(join(runDir, 'attachments')),
    leases: () => namesIn(join(ipamDir, 'demo')).filter(isLease),
    [Symbol.asyncDispose]: () => api.close(),
  }
}

const conflistOf = (ipamDir: string, entry: PluginConf): Conflist => ({
  cniVersion: '1.0.0',
  name: 'demo',
  plugins: [
    {
      type: 'bridge',
      bridge: 'demo0',
      isGateway: true,
      ipam: {
        type: 'host-local',
        dataDir: ipamDir,
        ranges: [[{ subnet: '10.222.0.0/24' }], [{ subnet: 'fd00:10:222::/64' }]],
        routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
      },
    },
    entry,
  ],
})

/** Turns off duplicate address detection, because detection delays an IPv6 address by a second. */
const skipDuplicateAddressDetection = (): void => {
  for (const scope of ['all', 'default']) writeFileSync(`/proc/sys/net/ipv6/conf/${scope}/accept_dad`, '0')
}

/** Executes CNI plugins in the test node's network namespace, as the node's runtime does, and records each call. */
export function execIn(target: NetnsTarget, runs: PluginRun[] = []): Exec {
  const real = realExec()
  return {
    find: real.find,
    async run(request) {
      const { outcome } = netns.run(target, () => ({ outcome: real.run(request) }))
      const { exitCode, durationMs } = await outcome
      runs.push({
        verb: request.env.CNI_COMMAND ?? '',
        plugin: basename(request.path),
        exit: exitCode ?? -1,
        ms: durationMs,
      })
      return outcome
    },
  }
}

/** Lists the names of the files in a folder. The list is empty if the folder does not exist. */
export const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** True for the name of a file in which host-local has stored an allocated address. */
export const isLease = (name: string): boolean => /^[0-9a-f]*[.:]/.test(name)
