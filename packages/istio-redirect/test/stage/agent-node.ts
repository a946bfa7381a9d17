import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { run } from '@cni/host'
import { deep } from '../../../../test/deep.ts'
import { built } from './executables.ts'

export const AGENT = built('bin/install-cni')
export const AGENT_BUNDLE = built('bundle/install-cni.cjs')

/** Two builds of the agent under test: compiled to one file, and a bundle that Node.js runs. */
export const AGENTS: ReadonlyArray<readonly [name: string, argv: readonly [string, ...string[]]]> = [
  ['the compiled agent', [AGENT]],
  ['the bundle on Node', [process.execPath, AGENT_BUNDLE]],
]

/** Builds of the agent with which a test runs. `npm run test:deep` adds Node.js's bundle. */
export const ANY_AGENT = deep ? AGENTS : AGENTS.slice(0, 1)

export const calico = `${JSON.stringify(
  { cniVersion: '0.3.1', name: 'k8s-pod-network', plugins: [{ ipam: { type: 'calico-ipam' }, type: 'calico' }] },
  null,
  2,
)}\n`

/** Test node on which an agent runs: folders for network configurations, binaries and a service account. */
export type AgentNode = ReturnType<typeof agentNode>

/** Files and environment variables of a test node. */
export interface AgentNodeOptions {
  /** Network configurations, by file name. */
  readonly net?: Readonly<Record<string, string>>
  /** Additional environment variables of the node's programs. */
  readonly env?: Readonly<Record<string, string>>
}

interface StartOptions {
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Program and arguments that start the agent. Default: the compiled agent. */
  readonly file?: readonly [string, ...string[]]
  /** True if `start` returns before the agent's health server answers. */
  readonly atOnce?: boolean
}

/** Process of an agent on the test node. */
export type AgentProcess = Awaited<ReturnType<typeof startAgent>>

/** Creates a test node. Default: with the network configuration of Calico. */
export function agentNode({ net = { '10-calico.conflist': calico }, env: more = {} }: AgentNodeOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), 'install-cni-'))
  const path = (...parts: string[]): string => join(root, ...parts)
  const agents: AgentProcess[] = []
  for (const folder of ['net', 'bin', 'src', 'sa', 'run']) mkdirSync(path(folder))
  const env: Record<string, string> = {
    PATH: '/usr/sbin:/usr/bin',
    MOUNTED_CNI_NET_DIR: path('net'),
    MOUNTED_CNI_BIN_DIRS: path('bin'),
    MOUNTED_CNI_CACHE_DIR: path('cache'),
    CNI_BIN_SOURCE_DIR: path('src'),
    SERVICE_ACCOUNT_DIR: path('sa'),
    CNI_AGENT_RUN_DIR: path('run'),
    ZTUNNEL_UDS_ADDRESS: path('ztunnel.sock'),
    KUBERNETES_SERVICE_HOST: '10.110.0.1',
    KUBERNETES_SERVICE_PORT: '443',
    HEALTH_PORT: '0',
    MONITORING_PORT: '0',
    POD_ANNOTATIONS_CAPABILITY: 'false',
    LOG_AS_JSON: 'false',
    ...more,
  }
  const write = (name: string, text: string, mode?: number): void => {
    writeFileSync(path(name), text)
    if (mode !== undefined) chmodSync(path(name), mode)
  }
  /** Runs any program with the environment of the test node, and waits for its end. */
  const runHere = (file: string, ...argv: string[]) => run([file, ...argv], { env, reject: false })
  write('src/istio-cni', 'plugin v1', 0o755)
  write('src/istio-lib.so', 'library v1', 0o644)
  write('sa/token', 'se.cr.et')
  write('sa/ca.crt', 'CA')
  for (const [name, text] of Object.entries(net)) write(`net/${name}`, text)
  return {
    path,
    env,
    write,
    read: (name: string): string => readFileSync(path(name), 'utf8'),
    /** Lists the paths of all files below the test node's folder. */
    names: (): string[] =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .sort(),
    /** Starts an agent on the test node. The agent ends when the test disposes the node. */
    async start({ argv = [], env: own = {}, file: [file, ...args] = [AGENT], atOnce = false }: StartOptions = {}) {
      const agent = await startAgent(file, [...args, ...argv], { ...env, ...own }, atOnce)
      agents.push(agent)
      return agent
    },
    /** Runs `install-cni` with the arguments on the test node, and waits for its end. */
    command: (...argv: string[]) => runHere(AGENT, ...argv),
    run: runHere,
    async [Symbol.asyncDispose]() {
      for (const agent of agents) agent.kill('SIGKILL')
      await Promise.all(agents.map((agent) => agent.exit))
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** Builds our plugin's configuration in a conflist, as an agent writes it on the test node. */
export const entryOf = (node: AgentNode, more: object = {}) => ({
  ambient_enabled: false,
  cni_agent_run_dir: node.path('run'),
  dns: {},
  enable_ambient_detection_retry: false,
  enablement_selectors: [],
  exclude_namespaces: null,
  ipam: {},
  name: 'istio-cni',
  native_nftables: false,
  plugin_log_level: 'info',
  pod_namespace: '',
  type: 'istio-cni',
  ...more,
})

/** Appends a plugin's configuration to a conflist. */
export function withEntry(list: string, entry: object): string {
  const document = JSON.parse(list)
  return `${JSON.stringify({ ...document, plugins: [...document.plugins, entry] }, null, 2)}\n`
}

async function startAgent(file: string, args: readonly string[], env: Record<string, string>, atOnce: boolean) {
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const log = outputOf(child)
  const exit = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  )
  const portText = () => /health checks on port (\d+)/.exec(log())?.[1]
  await eventually(
    () => atOnce || portText() !== undefined || child.exitCode !== null,
    () => `a health server: ${log()}`,
  )
  const port = Number(portText() ?? 0)
  const get = (path: string, method = 'GET') => ask({ port, path, method })
  return {
    pid: child.pid ?? 0,
    port,
    log,
    /** Closes the reading end of the agent's output pipe. */
    closeLog() {
      child.stdout.destroy()
      child.stderr.destroy()
    },
    /** Sends a request to the agent's health server. */
    get,
    ready: async () => (await get('/readyz')).status === 200,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Resolves when the agent's process ends. */
    exit,
  }
}

/** Collects the output of a process. Returns the function that reads the output so far. */
export function outputOf({ stdout, stderr }: Readonly<Record<'stdout' | 'stderr', Readable>>): () => string {
  let output = ''
  for (const stream of [stdout, stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  return () => output
}

/** Sends one HTTP request to an agent, by TCP port or by unix socket. */
export async function ask({ body = '', ...where }: RequestOptions & { readonly body?: string }) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', agent: false, ...where }, resolve)
      .on('error', reject)
      .end(body)
  })
  return { status: response.statusCode, type: response.headers['content-type'], body: await text(response) }
}

/** Returns the processor time that a process has used, in milliseconds. */
export function cpuMs(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user = '0', system = '0'] = rest.split(' ').slice(11, 13)
  return (Number(user) + Number(system)) * 10
}

/** Finds a TCP port that is free at the moment. */
export async function freePort(): Promise<number> {
  await using server = createServer().listen(0)
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Waits until a condition is true, up to a time limit. Returns the elapsed milliseconds. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string),
  limit = 10_000,
): Promise<number> {
  const start = performance.now()
  for (;;) {
    try {
      if (await condition()) return performance.now() - start
    } catch {
      // Ignores an error of the condition and checks again. Example: the agent's server does not listen yet.
    }
    if (performance.now() - start > limit) {
      throw new Error(`not within ${limit} ms: ${typeof what === 'string' ? what : what()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
