import { coded } from '../errors.ts'
import { type PathLike, pathOf } from './arguments.ts'
import { list } from './directories.ts'
import type { Dirent } from './dirent.ts'

/** Directory opened by `opendir`. The runtime reads all entries at once. */
export class Dir implements AsyncIterable<Dirent> {
  readonly path: string
  #entries: Dirent[] | undefined

  constructor(path: string) {
    this.path = path
    this.#entries = list(path)
  }

  readSync(): Dirent | null {
    if (this.#entries === undefined) throw coded(new Error('Directory handle was closed'), 'ERR_DIR_CLOSED')
    return this.#entries.shift() ?? null
  }

  async read(): Promise<Dirent | null> {
    return this.readSync()
  }

  closeSync(): void {
    if (this.#entries === undefined) throw coded(new Error('Directory handle was closed'), 'ERR_DIR_CLOSED')
    this.#entries = undefined
  }

  async close(): Promise<void> {
    this.closeSync()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Dirent> {
    for (let entry = this.readSync(); entry !== null; entry = this.readSync()) yield entry
    this.#entries = undefined
  }

  [Symbol.dispose](): void {
    this.#entries = undefined
  }
}

export function opendirSync(path: PathLike): Dir {
  try {
    return new Dir(pathOf(path))
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? renamed(error) : error
  }
}

/** Names `opendir` in the error as the failed call, as Node does. */
const renamed = (error: Error): Error => {
  const message = error.message.replace('scandir', 'opendir')
  return Object.assign(error, { message, syscall: 'opendir' })
}
