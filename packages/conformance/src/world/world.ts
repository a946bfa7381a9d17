import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunError, type RunResult, run, type Started } from '@cni/host'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { type Covers, type Streams, WRAPPER, wrap } from './wrapper.ts'

/** The throw-away node: a network namespace, and folders in place of those where plugins keep state. */
export interface World extends AsyncDisposable {
  readonly node: Netns
  /** Starts the plugin on the node. */
  start(request: StartRequest): Started
  /** A new FIFO. */
  fifo(): Promise<string>
  /** A new FIFO, full: blanks, then this text. It is not at its end before it is closed. */
  openStdin(text: string): Promise<OpenStdin>
}

/** A FIFO to be a plugin's stdin. */
export interface OpenStdin extends Disposable {
  readonly path: string
  /** Waits until the plugin has read some of it. */
  beingRead(withinMs: number): Promise<boolean>
}

/** How the plugin is started. */
export interface StartRequest {
  readonly env: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
  readonly streams?: Streams
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
}

// Leases and caches; D-Bus because the firewall plugin would tell the machine's firewalld about our pods.
const STATE = '/var/lib/cni'
const HIDDEN = ['/run/cni', '/run/dbus'] as const

/** Makes the node. Disposing it removes everything, also what the plugin left. */
export async function world(plugin: string): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), 'cni-conformance-'))
  const madeState = !existsSync(STATE)
  mkdirSync(STATE, { recursive: true })
  const covers: Covers = [STATE, ...HIDDEN.filter((folder) => existsSync(folder))].map((folder, index) => {
    const by = join(dir, `state-${index}`)
    mkdirSync(by)
    return { folder, by }
  })
  const node = await tempNetns()
  let fifos = 0
  let pipes = 0
  const fifo = async () => {
    const path = join(dir, `fifo-${++fifos}`)
    await run(['mkfifo', path])
    return path
  }

  return {
    node,
    fifo,
    start: ({ env, input, streams = {}, timeout, signal }) =>
      netns.start(node, wrap(plugin, streams, join(dir, `pipe-${++pipes}`), covers), {
        env,
        input,
        timeout,
        signal,
        killGrace: 200,
        waitDelay: 200,
      }),
    openStdin: async (text) => openStdin(await fifo(), text),
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]()
      rmSync(dir, { recursive: true, force: true })
      if (madeState) removeIfEmpty(STATE)
    },
  }
}

function openStdin(path: string, text: string): OpenStdin {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  // A pipe takes 16 pages (pipe(7)); blanks before JSON mean nothing.
  writeSync(fd, text.padStart(16 * 4096))
  return {
    path,
    async beingRead(withinMs) {
      const deadline = performance.now() + withinMs
      while (performance.now() < deadline) {
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

/** The result, however the program ended. */
export async function settled({ done }: Started): Promise<RunResult> {
  try {
    return await done
  } catch (error) {
    if (isRunError(error)) return error
    throw error
  }
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

function commandLine(pid: number | undefined): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // it has ended
    return undefined
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // somebody uses it by now
  }
}
