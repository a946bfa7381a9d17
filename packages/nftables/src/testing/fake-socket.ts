import { NetnsError } from '@cni/netns'
import type { NetlinkSocket } from '@cni/netns/netlink'

/** Bytes that the kernel counts for each datagram besides its content. */
const OVERHEAD = 512

/** A program's end of a socket, with the datagrams that it has not read. */
export class FakeSocket implements NetlinkSocket {
  readonly fd = -1
  readonly events: boolean
  readonly #receiveBuffer: number
  readonly #answer: (datagram: Buffer) => readonly Buffer[]
  #waiting: Buffer[] = []
  #overrun: 'told' | 'untold' | undefined
  #size = 0
  #open = true

  constructor(events: boolean, receiveBuffer: number, answer: (datagram: Buffer) => readonly Buffer[]) {
    this.events = events
    this.#receiveBuffer = receiveBuffer
    this.#answer = answer
  }

  send(datagram: Uint8Array): void {
    this.#check()
    for (const each of this.#answer(Buffer.from(datagram))) this.take(each)
  }

  receive(): Buffer | 'none' | 'lost' {
    this.#check()
    if (this.#overrun === 'untold') {
      this.#overrun = 'told'
      return 'lost'
    }
    const next = this.#waiting.shift()
    this.#size -= next === undefined ? 0 : next.length + OVERHEAD
    if (this.#waiting.length === 0) this.#overrun = undefined
    return next ?? 'none'
  }

  /**
   * Receives a datagram of the kernel. Once the buffer is full, drops all datagrams until the program has read
   * everything.
   */
  take(datagram: Buffer): void {
    if (!this.#open || this.#overrun !== undefined) return
    if (this.#size + datagram.length + OVERHEAD <= this.#receiveBuffer) {
      this.#size += datagram.length + OVERHEAD
      this.#waiting.push(datagram)
    } else this.#overrun = 'untold'
  }

  close(): void {
    this.#open = false
    this.#waiting = []
  }

  leave(): void {
    this.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #check(): void {
    if (!this.#open) throw new NetnsError('CLOSED', 'the netlink socket is closed')
  }
}
