import { closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunError, type RunResult, run, type start } from '@cni/host'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { freshState, type State, shareBelowState } from './state.ts'
import { NOT_STARTED, type Streams, WRAPPER, wrap } from './wrapper.ts'

/** The throw-away node: a network namespace, with new folders for the plugins' state. */
export interface World extends AsyncDisposable {
  readonly node: Netns
  /** State folders that the last `renew` created. */
  readonly state: State
  /** Replaces the state folders by empty folders. */
  renew(): void
  /** Starts the plugin on the node. */
  start(request: StartRequest): ReturnType<typeof start>
  /** Creates a FIFO and returns its path. */
  fifo(): Promise<string>
  /**
   * Creates a FIFO for stdin and fills it with blanks and the text. The plugin reads no end of input until the FIFO is
   * closed.
   */
  openStdin(text: string): Promise<OpenStdin>
}

/** FIFO for a plugin's stdin. */
export interface OpenStdin extends Disposable {
  readonly path: string
  /** Waits until the plugin has read from the FIFO. Returns false if the plugin ends first or the time is over. */
  beingRead(withinMs: number, runs: () => boolean): Promise<boolean>
}

/** Request to start the plugin. */
export interface StartRequest {
  readonly env: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
  readonly streams?: Streams
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
}

/** Environment variable PATH of the plugin. */
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Options of the throw-away node. */
export interface WorldOptions {
  readonly plugin: string
  /** The machine's files and folders in state folders that the plugin may access. */
  readonly shares: readonly string[]
  /** Folders that must stay visible: the plugin's folder and folders of plugins that it calls. */
  readonly needed: readonly string[]
}

/** Creates the node. Its disposal removes everything, including files of the plugin. */
export async function world({ plugin, shares, needed }: WorldOptions): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), 'cni-conformance-'))
  // Namespaces of pods and the FIFOs are in the temporary folder, which must stay visible.
  const seen = [tmpdir(), ...needed].flatMap((folder) => (existsSync(folder) ? (shareBelowState(folder) ?? []) : []))
  const shared = [...new Set([...shares, ...seen])].sort()
  let states = 0
  let state = freshState(join(dir, `state-${states}`), shared)
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
      state = freshState(join(dir, `state-${++states}`), shared)
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
  // Size of a pipe: 16 pages (pipe(7)). The blanks that fill the pipe are valid before JSON.
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
    // EAGAIN: the pipe is still full
    return false
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 2))

/**
 * Waits for the result of a process. Throws if the plugin was not started, because that is not a fault of the plugin.
 */
export async function settled({ done }: ReturnType<typeof start>): Promise<RunResult> {
  const result = await done.catch((error: unknown) => {
    if (isRunError(error)) return error
    throw error
  })
  const said = result.stderr.trimEnd()
  if (result.exitCode === 0 || !said.endsWith(NOT_STARTED)) return result
  throw new Error(`the plugin could not be started: ${said.slice(0, -NOT_STARTED.length).trim()}`)
}

/** Waits until the process executes the plugin. Returns false if the process ends first or the time is over. */
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

/** True while a process runs. A zombie has an empty command line. */
export function isRunning(pid: number | undefined): boolean {
  return Boolean(commandLine(pid))
}

function commandLine(pid: number | undefined): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // the process has ended
    return undefined
  }
}
