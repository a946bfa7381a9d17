import { closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunError, type RunResult, run, type start } from '@cni/host'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { freshState, type State, shareBelowState } from './state.ts'
import { NOT_STARTED, type Streams, WRAPPER, wrap } from './wrapper.ts'

/** The throw-away node: a network namespace, and folders in place of those where plugins keep state. */
export interface World extends AsyncDisposable {
  readonly node: Netns
  /** The folders where plugins keep state, as the last `renew` left them. */
  readonly state: State
  /** New, empty folders of state. */
  renew(): void
  /** Starts the plugin on the node. */
  start(request: StartRequest): ReturnType<typeof start>
  /** A new FIFO. */
  fifo(): Promise<string>
  /** A new FIFO, full: blanks, then this text. It is not at its end before it is closed. */
  openStdin(text: string): Promise<OpenStdin>
}

/** A FIFO to be a plugin's stdin. */
export interface OpenStdin extends Disposable {
  readonly path: string
  /** Waits until the plugin has read some of it, for as long as it runs. */
  beingRead(withinMs: number, runs: () => boolean): Promise<boolean>
}

/** How the plugin is started. */
export interface StartRequest {
  readonly env: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
  readonly streams?: Streams
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
}

/** Where the plugin finds programs. */
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** What the node is made of. */
export interface WorldOptions {
  readonly plugin: string
  /** Files and folders below the folders of state that the plugin sees as they are. */
  readonly shares: readonly string[]
  /** Folders that have to be seen wherever they are: the plugin's, and those of plugins it calls. */
  readonly needed: readonly string[]
}

/** Makes the node. Disposing it removes everything, also what the plugin left. */
export async function world({ plugin, shares, needed }: WorldOptions): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), 'cni-conformance-'))
  // Namespaces of pods and our streams are in the temporary folder.
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
  // A pipe takes 16 pages (pipe(7)); blanks before JSON mean nothing.
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
    // EAGAIN: still full
    return false
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 2))

/** The result, however the plugin ended. Throws when it was not even started: that says nothing about it. */
export async function settled({ done }: ReturnType<typeof start>): Promise<RunResult> {
  const result = await done.catch((error: unknown) => {
    if (isRunError(error)) return error
    throw error
  })
  const said = result.stderr.trimEnd()
  if (result.exitCode === 0 || !said.endsWith(NOT_STARTED)) return result
  throw new Error(`the plugin could not be started: ${said.slice(0, -NOT_STARTED.length).trim()}`)
}

/** Waits until the process has become the plugin; `false` when it ended before or took longer. */
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

/** Whether a process has not ended; one that has is a while without a command line. */
export function isRunning(pid: number | undefined): boolean {
  return Boolean(commandLine(pid))
}

function commandLine(pid: number | undefined): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // it has ended
    return undefined
  }
}
