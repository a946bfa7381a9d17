import { coded } from '../errors.ts'
import type { Stream } from '../stream/stream.ts'
import { call } from '../sys/numbers.ts'
import { makePipe, PipeReader, PipeWriter } from './pipes.ts'

type StdioEntry = 'pipe' | 'overlapped' | 'ignore' | 'inherit' | number | { readonly fd?: unknown } | null | undefined

export type Stdio = 'pipe' | 'ignore' | 'inherit' | readonly StdioEntry[]

const AT_FDCWD = -100
const O_RDWR_CLOEXEC = 0o2000002

/** Descriptors and pipes of a child process (Node's option `stdio`). */
export class Wiring {
  readonly childEnds: number[] = []
  readonly #ours: ((() => Stream) | undefined)[] = []
  readonly #temporary: number[] = []

  constructor(stdio: Stdio = 'pipe') {
    const places = typeof stdio === 'string' ? [stdio, stdio, stdio] : stdio
    const count = Math.max(3, places.length)
    try {
      for (let index = 0; index < count; index++) this.#add(index, places[index])
    } catch (error) {
      this.closeChildEnds()
      for (const stream of this.streams()) stream?.destroy()
      throw error
    }
  }

  streams(): (Stream | null)[] {
    return this.#ours.map((make) => make?.() ?? null)
  }

  closeChildEnds(): void {
    for (const fd of this.#temporary.splice(0)) call('close', fd)
  }

  #add(index: number, given: StdioEntry): void {
    const place = given ?? (index < 3 ? 'pipe' : 'ignore')
    if (place === 'inherit') this.#give(index)
    else if (typeof place === 'number') this.#give(place)
    else if (place === 'ignore') this.#giveOwn(call('openat', AT_FDCWD, '/dev/null', O_RDWR_CLOEXEC, 0))
    else if (place === 'pipe' || place === 'overlapped') this.#addPipe(index)
    else if (typeof place === 'object' && typeof place.fd === 'number') this.#give(place.fd)
    else {
      const message = `The argument 'stdio' is invalid. Received ${String(place)}`
      throw coded(new TypeError(message), 'ERR_INVALID_ARG_VALUE')
    }
  }

  /** Creates a pipe for one descriptor of a child process; the child reads descriptor 0. */
  #addPipe(index: number): void {
    const [read, write] = makePipe()
    if (index === 0) this.#giveOwn(read, () => new PipeWriter(write))
    else this.#giveOwn(write, () => new PipeReader(read))
  }

  #give(fd: number, ours?: () => Stream): void {
    this.childEnds.push(fd)
    this.#ours.push(ours)
  }

  #giveOwn(fd: number, ours?: () => Stream): void {
    this.#temporary.push(fd)
    this.#give(fd, ours)
  }
}
