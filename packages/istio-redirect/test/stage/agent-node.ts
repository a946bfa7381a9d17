import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
export interface AgentNode extends AsyncDisposable {
  readonly env: Record<string, string>
  path(...parts: string[]): string
  write(name: string, text: string, mode?: number): void
  read(name: string): string
  /** Lists the paths of all files below the test node's folder. */
  names(): string[]
  /** Starts an agent on the test node. The agent ends when the test disposes the node. */
  start(options?: StartOptions): Promise<AgentProcess>
  /** Runs `install-cni` with the arguments on the test node, and waits for its end. */
  command(...argv: string[]): Promise<{ exitCode: number | null; stdout: string; stderr: string }>
  /** Runs any program with the environment of the test node, and waits for its end. */
  run(file: string, ...argv: string[]): Promise<{ exitCode: number | null; stdout: string; stderr: string }>
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
export interface AgentProcess {
  readonly pid: number
  readonly port: number
  log(): string
  /** Closes the reading end of the agent's output pipe. */
  closeLog(): void
  /** Sends a request to the agent's health server. */
  get(path: string, method?: string): Promise<Answer>
  ready(): Promise<boolean>
  kill(signal: NodeJS.Signals): void
  /** Resolves when the agent's process ends. */
  readonly exit: Promise<{ code: number | null; signal: string | null }>
}

export interface Answer {
  readonly status: number | undefined
  readonly type: string | undefined
  readonly body: string
}

/** Creates a test node. `net` contains the network configurations, by file name. */
export function agentNode(net: Readonly<Record<string, string>> = { '10-calico.conflist': calico }): AgentNode {
  const root = mkdtempSync(join(tmpdir(), 'install-cni-'))
  const path = (...parts: string[]): string => join(root, ...parts)
  const agents: AgentProcess[] = []
  for (const folder of ['net', 'bin', 'src', 'sa', 'run']) mkdirSync(path(folder))
  const node: AgentNode = {
    path,
    env: {
      PATH: '/usr/sbin:/usr/bin',
      MOUNTED_CNI_NET_DIR: path('net'),
      MOUNTED_CNI_BIN_DIRS: path('bin'),
      MOUNTED_CNI_CACHE_DIR: path('cache'),
      CNI_BIN_SOURCE_DIR: path('src'),
      SERVICE_ACCOUNT_DIR: path('sa'),
      CNI_AGENT_RUN_DIR: path('run'),
      KUBERNETES_SERVICE_HOST: '10.110.0.1',
      KUBERNETES_SERVICE_PORT: '443',
      HEALTH_PORT: '0',
      MONITORING_PORT: '0',
      POD_ANNOTATIONS_CAPABILITY: 'false',
      LOG_AS_JSON: 'false',
    },
    write(name, text, mode) {
      writeFileSync(path(name), text)
      if (mode !== undefined) chmodSync(path(name), mode)
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    names: () =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .sort(),
    async start({ argv = [], env = {}, file = [AGENT], atOnce = false } = {}) {
      const agent = await startAgent([...file, ...argv] as [string, ...string[]], { ...node.env, ...env }, atOnce)
      agents.push(agent)
      return agent
    },
    command: (...argv) => node.run(AGENT, ...argv),
    async run(file, ...argv) {
      const child = spawn(file, argv, { env: node.env, stdio: ['ignore', 'pipe', 'pipe'] })
      const output = { stdout: '', stderr: '' }
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].setEncoding('utf8').on('data', (text: string) => {
          output[name] += text
        })
      }
      const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve))
      return { exitCode, ...output }
    },
    async [Symbol.asyncDispose]() {
      for (const agent of agents) agent.kill('SIGKILL')
      await Promise.all(agents.map((agent) => agent.exit))
      rmSync(root, { recursive: true, force: true })
    },
  }
  node.write('src/istio-cni', 'plugin v1', 0o755)
  node.write('src/istio-lib.so', 'library v1', 0o644)
  node.write('sa/token', 'se.cr.et')
  node.write('sa/ca.crt', 'CA')
  for (const [name, text] of Object.entries(net)) node.write(`net/${name}`, text)
  return node
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

async function startAgent(
  argv: [string, ...string[]],
  env: Record<string, string>,
  atOnce: boolean,
): Promise<AgentProcess> {
  const [file, ...args] = argv
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  const exit = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  )
  const portText = () => /health checks on port (\d+)/.exec(text)?.[1]
  await eventually(
    () => atOnce || portText() !== undefined || child.exitCode !== null,
    () => `a health server: ${text}`,
  )
  const port = Number(portText() ?? 0)
  const get = (path: string, method = 'GET') => ask({ port, path, method })
  return {
    pid: child.pid ?? 0,
    port,
    log: () => text,
    closeLog() {
      child.stdout.destroy()
      child.stderr.destroy()
    },
    get,
    ready: async () => (await get('/readyz')).status === 200,
    kill: (signal) => void child.kill(signal),
    exit,
  }
}

/** Sends one HTTP request to an agent, by TCP port or by unix socket. */
export function ask(options: {
  port?: number
  socketPath?: string
  path: string
  method?: string
  body?: string
}): Promise<Answer> {
  const { body = '', ...where } = options
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', agent: false, ...where }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({ status: response.statusCode, type: response.headers['content-type'], body: text }),
      )
    })
    asked.on('error', reject).end(body)
  })
}

/** Returns the processor time that a process has used, in milliseconds. */
export function cpuMs(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user = '0', system = '0'] = rest.split(' ').slice(11, 13)
  return (Number(user) + Number(system)) * 10
}

/** Finds a TCP port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
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
