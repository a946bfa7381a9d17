import { NetnsError } from '@cni/netns'
import type { NetlinkSocket } from '@cni/netns/netlink'

/** Bytes that each datagram occupies in a receive buffer besides its content, as in the kernel. */
const OVERHEAD = 512

/** Netlink socket of a program to the fake kernel, with the datagrams that the program has not read yet. */
export class FakeSocket implements NetlinkSocket {
  readonly fd = -1
  readonly events: boolean
  readonly #receiveBuffer: number
  readonly #answer: (datagram: Buffer) => readonly Buffer[]
  #waiting: Buffer[] = []
  #overrun: 'reported' | 'unreported' | undefined
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
    if (this.#overrun === 'unreported') {
      this.#overrun = 'reported'
      return 'lost'
    }
    const next = this.#waiting.shift()
    this.#size -= next === undefined ? 0 : next.length + OVERHEAD
    if (this.#waiting.length === 0) this.#overrun = undefined
    return next ?? 'none'
  }

  /** Puts a datagram into the receive buffer. Drops datagrams after an overrun until the next read. */
  take(datagram: Buffer): void {
    if (!this.#open || this.#overrun !== undefined) return
    if (this.#size + datagram.length + OVERHEAD <= this.#receiveBuffer) {
      this.#size += datagram.length + OVERHEAD
      this.#waiting.push(datagram)
    } else this.#overrun = 'unreported'
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
