import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Netns } from '../handle/netns.ts'
import { create, createAt, destroy } from '../named/create.ts'
import { openRtnl } from '../rtnl/open-rtnl.ts'

/**
 * Creates an empty network namespace for a test. Disposal of the handle or the exit of the process removes the
 * namespace. A signal such as SIGTERM that ends the process also removes the namespace.
 *
 * @example
 * await using pod = await tempNetns()
 */
export async function tempNetns(
  options: {
    /** True to set the link `lo` of the new namespace up. Default: true. */
    lo?: boolean
    /**
     * Name of the namespace's mount point `/run/netns/<name>`, for `ip netns exec`. Default: a mount point in a
     * temporary folder.
     */
    name?: string
  } = {},
): Promise<Netns & AsyncDisposable> {
  const { lo = true, name } = options
  const temporary = name === undefined ? inTemporaryFolder() : new TempNetns(create(name))
  try {
    if (lo) {
      using rtnl = await openRtnl(temporary)
      await rtnl.setLinkUp('lo')
    }
    return temporary
  } catch (error) {
    temporary[Symbol.dispose]()
    throw error
  }
}

const alive = new Set<TempNetns>()

class TempNetns extends Netns implements AsyncDisposable {
  readonly #folder: string | undefined

  constructor(opened: Netns, folder?: string) {
    super(opened.path, opened.fd, opened)
    this.#folder = folder
    if (alive.size === 0) watch()
    alive.add(this)
  }

  override [Symbol.dispose](): void {
    if (!alive.delete(this)) return
    if (alive.size === 0) unwatch()
    destroy(this)
    if (this.#folder !== undefined) rmdirSync(this.#folder)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this[Symbol.dispose]()
  }
}

function inTemporaryFolder(): TempNetns {
  const folder = mkdtempSync(join(tmpdir(), 'cni-netns-'))
  let opened: Netns
  try {
    opened = createAt(join(folder, 'net'))
  } catch (error) {
    rmdirSync(folder)
    throw error
  }
  return new TempNetns(opened, folder)
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

function watch(): void {
  process.on('exit', removeAll)
  for (const signal of signals) process.on(signal, onSignal)
}

function unwatch(): void {
  process.off('exit', removeAll)
  for (const signal of signals) process.off(signal, onSignal)
}

function onSignal(signal: NodeJS.Signals): void {
  removeAll()
  // Sends the signal to this process again, so that its default action ends the process.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
}

function removeAll(): void {
  for (const each of alive) each[Symbol.dispose]()
}
