import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiServer } from '@cni/kube/testing'
import { loadSys } from '@cni/netns/sys'
import { NODE_NAME } from './serving-agent.ts'

/** A node agent that is measured: its name, its executable, and the plugin executable that the agent installs. */
export interface Agent {
  readonly name: string
  readonly agent: string
  readonly plugin: string
}

/** Content of another plugin's network list, to which the measured agents add their plugin. */
const conflist = `${JSON.stringify({ cniVersion: '0.3.1', name: 'k8s-pod-network', plugins: [{ type: 'calico' }] }, null, 2)}\n`

/** Time limit for the start of a measured agent, in milliseconds. */
const START_MS = 20_000

/** Root folders in which the measured node agents run, one agent at a time. */
export interface Places extends Disposable {
  /** Creates an agent's root folder, whose mounts only this process sees. */
  add(agent: Agent, api?: ApiServer): Place
}

/** A root folder for one measured agent, with functions to reset the node's files and to start the agent. */
export interface Place {
  readonly agent: string
  readonly path: string
  /** Restores the node's files and adds `crowd` configuration files of other programs. */
  reset(crowd?: number): void
  /** Starts the agent. Resolves when the agent is ready, or when the time limit has passed. */
  start(): Promise<Running>
  /** Files that the agent repairs, each with a function that damages the file. */
  artefacts(): [name: string, path: string, damage: () => void][]
}

/** A running agent that is measured. */
export interface Running {
  /**
   * Milliseconds from the agent's start to its readiness. `undefined` if the agent was not ready within the time limit.
   */
  readonly ms: number | undefined
  readonly pid: number
  /** Ends the agent with SIGTERM. Returns the milliseconds until its exit. */
  stop(): Promise<number>
}

/** Creates an empty list of agents' root folders. Its disposal ends all agents and removes their root folders. */
export function newPlaces(): Places {
  const folder = mkdtempSync(join(tmpdir(), 'cni-bench-agent-'))
  const sys = loadSys()
  const mounts: string[] = []
  const children = new Set<ChildProcess>()
  const mount = (source: string, target: string, type: string, flags: number): void => {
    sys.mount(source, target, type, flags, '')
    mounts.push(target)
  }
  return {
    add: (agent, api) => newPlace(agent, join(folder, agent.name), { mount, children }, api),
    [Symbol.dispose]() {
      for (const child of children) child.kill('SIGKILL')
      for (const path of mounts.reverse()) sys.umount2(path, 2)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Means {
  readonly mount: (source: string, target: string, type: string, flags: number) => void
  readonly children: Set<ChildProcess>
}

function newPlace({ agent, plugin }: Agent, path: string, { mount, children }: Means, api?: ApiServer): Place {
  mkdirSync(path)
  mount('tmpfs', path, 'tmpfs', 0)
  const inside = (...parts: string[]): string => join(path, ...parts)
  const MS_BIND_REC = 0x1000 | 0x4000
  for (const one of ['usr', 'lib', 'lib64', 'bin', 'etc', 'proc', 'dev']) {
    if (!existsSync(`/${one}`)) continue
    mkdirSync(inside(one))
    mount(`/${one}`, inside(one), '', MS_BIND_REC)
  }
  const account = 'var/run/secrets/kubernetes.io/serviceaccount'
  for (const one of ['opt/cni/bin', 'tmp', account]) mkdirSync(inside(one), { recursive: true })
  copyFileSync(agent, inside('install-cni'))
  copyFileSync(plugin, inside('opt/cni/bin/istio-cni'))
  writeFileSync(inside(account, 'ca.crt'), api?.ca ?? 'CA')
  const list = inside('host/etc/cni/net.d/10-calico.conflist')
  const binary = inside('host/opt/cni/bin/istio-cni')
  const kubeconfig = inside('var/run/istio-cni/istio-cni-kubeconfig')
  let tokens = 0
  return {
    agent,
    path,
    reset(crowd = 0) {
      for (const one of ['host', 'var/run/istio-cni']) rmSync(inside(one), { recursive: true, force: true })
      for (const one of ['host/etc/cni/net.d', 'host/opt/cni/bin', 'var/run/istio-cni']) {
        mkdirSync(inside(one), { recursive: true })
      }
      writeFileSync(list, conflist)
      writeFileSync(inside(account, 'token'), api?.token ?? 'token')
      for (let index = 0; index < crowd; index += 1) writeFileSync(...other(inside('host/etc/cni/net.d'), index))
    },
    start: () => start(path, children, api),
    artefacts: () => [
      ['conflist rewritten', list, () => writeFileSync(list, conflist)],
      [
        'conflist rewritten while the binary is copied',
        list,
        () => {
          appendFileSync(binary, 'x')
          writeFileSync(list, conflist)
        },
      ],
      ['binary removed', binary, () => rmSync(binary)],
      ['kubeconfig removed', kubeconfig, () => rmSync(kubeconfig)],
      [
        'token changed',
        kubeconfig,
        () => {
          tokens += 1
          writeFileSync(inside(account, 'token'), `token${tokens}`)
        },
      ],
    ],
  }
}

/** Path and content of a file that fills the network folder. */
function other(folder: string, index: number): [path: string, text: string] {
  const number = String(index).padStart(6, '0')
  return index % 2 === 0
    ? [join(folder, `00-${number}.conflist`), conflist.slice(0, -9)]
    : [join(folder, `50-${number}.conflist`), conflist]
}

async function start(path: string, children: Set<ChildProcess>, api?: ApiServer): Promise<Running> {
  const { hostname, port } = new URL(api?.url ?? 'https://10.96.0.1:6443')
  const env = {
    PATH: '/usr/sbin:/usr/bin',
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    REPAIR_ENABLED: 'false',
    REPAIR_NODE_NAME: 'node',
    ...(api && { NODE_NAME }),
  }
  const began = performance.now()
  const child = spawn('/usr/bin/unshare', [`--root=${path}`, '--wd=/', '/install-cni'], { env, stdio: 'ignore' })
  children.add(child)
  const running = (ms: number | undefined): Running => ({
    ms,
    pid: child.pid ?? 0,
    async stop() {
      const exit = once(child, 'exit')
      const asked = performance.now()
      child.kill('SIGTERM')
      await exit
      children.delete(child)
      return performance.now() - asked
    },
  })
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`the agent ended with ${child.exitCode}`)
    if (performance.now() - began > START_MS) return running(undefined)
    await sleep(1)
  }
  return running(performance.now() - began)
}

function isReady(): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port: 8000, path: '/readyz', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    asked.on('error', () => resolve(false)).end()
  })
}
