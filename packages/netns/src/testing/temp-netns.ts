import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Netns } from '../handle/netns.ts'
import { create, createAt, destroy } from '../named/create.ts'
import { openRtnl } from '../rtnl/open-rtnl.ts'

/** Options of {@link tempNetns}. */
export interface TempNetnsOptions {
  /** Bring `lo` up. Default: true. */
  lo?: boolean
  /** Bind it as `/run/netns/<name>`, for `ip netns exec`. Default: somewhere in a temporary folder. */
  name?: string
}

/**
 * A new, empty namespace for a test; removed when it is disposed, and at the latest when the process exits.
 *
 * @example
 * await using pod = await tempNetns()
 */
export async function tempNetns(options: TempNetnsOptions = {}): Promise<Netns & AsyncDisposable> {
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
    if (alive.size === 0) process.once('exit', removeAll)
    alive.add(this)
  }

  override [Symbol.dispose](): void {
    if (!alive.delete(this)) return
    if (alive.size === 0) process.off('exit', removeAll)
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

function removeAll(): void {
  for (const each of alive) each[Symbol.dispose]()
}
