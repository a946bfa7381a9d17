import { closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunError, type RunResult, run, type start } from '@cni/host'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { emptyState, type State, shareBelowState } from './state.ts'
import { NOT_STARTED, type Streams, WRAPPER, wrap } from './wrapper.ts'

/** The test node: a temporary network namespace, with new folders for the files of plugins. */
export interface World extends AsyncDisposable {
  readonly node: Netns
  /** Folders for the files of plugins. Each call of `renew` replaces them. */
  readonly state: State
  /** Gives plugins new, empty folders for their files. */
  renew(): void
  /** Starts the tested plugin on the test node. */
  start(request: StartRequest): ReturnType<typeof start>
  /** Creates a FIFO for a stream of the plugin and returns the FIFO's path. */
  fifo(): Promise<string>
  /** Creates a full FIFO as the plugin's stdin. Room in the FIFO then shows that the plugin has read. */
  openStdin(text: string): Promise<OpenStdin>
}

/** FIFO that is the stdin of a plugin. */
export interface OpenStdin extends Disposable {
  readonly path: string
  /** Waits until the plugin has read. Returns false if the plugin ends first, or after `withinMs`. */
  beingRead(withinMs: number, runs: () => boolean): Promise<boolean>
}

/** Request to start the tested plugin once. */
export interface StartRequest {
  readonly env: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
  readonly streams?: Streams
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
}

/** Value of the plugin's environment variable PATH. */
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Options of the test node. */
export interface WorldOptions {
  readonly plugin: string
  /** Files and folders of the machine that the plugin can use. */
  readonly shares: readonly string[]
  /** Folders that the plugin must still see: its own folder and folders of called plugins. */
  readonly needed: readonly string[]
}

/** Creates the test node. Disposing the node removes the namespace and all files, including files of the plugin. */
export async function world({ plugin, shares, needed }: WorldOptions): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), 'cni-conformance-'))
  // Keeps the temporary folder visible to the plugin, because it contains the pods' namespaces and the FIFOs.
  const seen = [tmpdir(), ...needed].flatMap((folder) => (existsSync(folder) ? (shareBelowState(folder) ?? []) : []))
  const shared = [...new Set([...shares, ...seen])].sort()
  let states = 0
  let state = emptyState(join(dir, `state-${states}`), shared)
  const node = await tempNetns()
  let fifos = 0
  let pipes = 0
  const fifo = async () => {
    const path = join(dir, `fifo-${++fifos}`)
    await run(['mkfifo', path])
    return path
  }
  const start = (program: string, { env, input, streams = {}, timeout, signal }: StartRequest) =>
    netns.start(node, wrap(program, streams, join(dir, `pipe-${++pipes}`), state.mounts), {
      env,
      input,
      timeout,
      signal,
      killGrace: 200,
      waitDelay: 200,
    })
  const made: World = {
    node,
    get state() {
      return state
    },
    renew() {
      state.remove()
      state = emptyState(join(dir, `state-${++states}`), shared)
    },
    fifo,
    start: (request) => start(plugin, request),
    openStdin: async (text) => openStdin(await fifo(), text),
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]()
      state.remove()
      rmSync(dir, { recursive: true, force: true })
    },
  }
  try {
    const { exitCode, stderr } = await settled(start('true', { env: { PATH }, timeout: 10_000 }))
    if (exitCode !== 0) throw new Error(`Cannot start programs on the node: ${stderr.trim()}`)
    return made
  } catch (error) {
    await made[Symbol.asyncDispose]()
    throw error
  }
}

function openStdin(path: string, text: string): OpenStdin {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  // Fills the FIFO completely (16 pages, see pipe(7)) with blanks and the JSON text. JSON permits leading blanks.
  writeSync(fd, text.padStart(16 * 4096))
  return {
    path,
    async beingRead(withinMs, runs) {
      const deadline = performance.now() + withinMs
      while (performance.now() < deadline && runs()) {
        if (takesMore(fd)) return true
        await pause()
      }
      return false
    },
    [Symbol.dispose]: () => closeSync(fd),
  }
}

function takesMore(fd: number): boolean {
  try {
    return writeSync(fd, ' ') > 0
  } catch {
    // The write failed with EAGAIN: the FIFO is still full, because the plugin has not read from it.
    return false
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 2))

/** Waits until the plugin has ended. An error means that the plugin's file could not be executed. */
export async function settled({ done }: ReturnType<typeof start>): Promise<RunResult> {
  const result = await done.catch((error: unknown) => {
    if (isRunError(error)) return error
    throw error
  })
  const said = result.stderr.trimEnd()
  if (result.exitCode === 0 || !said.endsWith(NOT_STARTED)) return result
  throw new Error(`the plugin could not be started: ${said.slice(0, -NOT_STARTED.length).trim()}`)
}

/** Waits until the started process has finished its shell script and executes the plugin's file. */
export async function becamePlugin(pid: number | undefined, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline) {
    const line = commandLine(pid)
    if (line === undefined) return false
    if (line !== '' && !line.includes(WRAPPER)) return true
    await pause()
  }
  return false
}

/** True while a process runs. A zombie counts as ended, because it has no command line. */
export function isRunning(pid: number | undefined): boolean {
  return Boolean(commandLine(pid))
}

function commandLine(pid: number | undefined): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // The process has ended: /proc has no folder for its id.
    return undefined
  }
}
