import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ApiServer } from '@cni/kube/testing'
import { type NetnsTarget, netns } from '@cni/netns'
import { loadSys } from '@cni/netns/sys'
import { endProcess } from './end-process.ts'
import type { Agent } from './measured-agents.ts'

/** Content of another plugin's network list, to which the measured agents add their plugin. */
export const conflist = `${JSON.stringify({ cniVersion: '0.3.1', name: 'k8s-pod-network', plugins: [{ type: 'calico' }] }, null, 2)}\n`

const MS_BIND_REC = 0x1000 | 0x4000
const MNT_DETACH = 2

/**
 * Creates an agent's root folder with the machine's programs, the agent, and the plugin that the agent installs. Only
 * this process sees the mounts. The disposal ends the agent.
 */
export function rootFolder({ name, agent, plugin }: Agent, api?: ApiServer) {
  const folder = mkdtempSync(join(tmpdir(), `cni-bench-${name}-`))
  const path = (...parts: string[]): string => join(folder, ...parts)
  const mounts: string[] = []
  /** Mounts a tmpfs, or a folder of the machine with all mounts below it. */
  const mount = (source: string, target: string): void => {
    mkdirSync(target, { recursive: true })
    const [type, flags] = source === 'tmpfs' ? ['tmpfs', 0] : ['', MS_BIND_REC]
    loadSys().mount(source, target, type, flags, '')
    mounts.push(target)
  }
  const files = {
    list: path('host/etc/cni/net.d/10-calico.conflist'),
    binary: path('host/opt/cni/bin/istio-cni'),
    kubeconfig: path('var/run/istio-cni/istio-cni-kubeconfig'),
    token: path('var/run/secrets/kubernetes.io/serviceaccount/token'),
  }
  /** Restores the node's files, as before the first start of an agent. */
  const reset = (): void => {
    for (const one of ['host/etc', 'host/opt', 'var/run/istio-cni']) rmSync(path(one), { recursive: true, force: true })
    for (const file of Object.values(files)) mkdirSync(dirname(file), { recursive: true })
    writeFileSync(files.list, conflist)
    writeFileSync(files.token, api?.token ?? 'token')
  }
  mount('tmpfs', folder)
  for (const one of ['usr', 'lib', 'lib64', 'bin', 'sbin', 'etc', 'proc', 'dev']) {
    if (existsSync(`/${one}`)) mount(`/${one}`, path(one))
  }
  for (const one of ['opt/cni/bin', 'tmp', 'run']) mkdirSync(path(one), { recursive: true })
  copyFileSync(agent, path('install-cni'))
  copyFileSync(plugin, path('opt/cni/bin/istio-cni'))
  reset()
  writeFileSync(join(dirname(files.token), 'ca.crt'), api?.ca ?? 'CA')
  const { hostname, port } = new URL(api?.url ?? 'https://10.96.0.1:6443')
  const common = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    REPAIR_ENABLED: 'false',
  }
  let child: ChildProcess | undefined
  return {
    path,
    files,
    mount,
    reset,
    /** Id of the agent's process, or 0 before the agent's first start. */
    pid: (): number => child?.pid ?? 0,
    /** Starts the agent in a network namespace, without waiting until the agent is ready. */
    start(env: Readonly<Record<string, string>>, target: NetnsTarget = 'host', stdio: StdioOptions = 'ignore') {
      const argv = [`--root=${folder}`, '--wd=/', '/install-cni']
      child = netns.run(target, () => spawn('/usr/bin/unshare', argv, { env: { ...common, ...env }, stdio }))
      return child
    },
    /** Ends the agent. Its rules and ipsets stay, as in an upgrade. Returns the milliseconds until its exit. */
    stop: () => endProcess(child),
    async [Symbol.asyncDispose]() {
      await endProcess(child)
      for (const target of mounts.toReversed()) loadSys().umount2(target, MNT_DETACH)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
