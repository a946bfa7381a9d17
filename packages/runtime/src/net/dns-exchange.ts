import { fillRandom } from '../crypto/random.ts'
import { POLLIN, Watcher } from '../loop/descriptors.ts'
import { Timeout } from '../loop/timers.ts'
import { call, callAgain } from '../sys/numbers.ts'
import { ipAddress } from './address.ts'
import { Attempt } from './attempt.ts'
import { A, AAAA, type Answer, encodeQuery, type Question, readAnswer } from './dns-message.ts'

const PORT = 53
const TIMEOUT_MS = 2000
const EAGAIN = -11
const EINTR = -4
const MSG_NOSIGNAL = 0x4000
const PREFIX = 2

/** Asks one DNS server for the IPv4 and IPv6 addresses of a name over one TCP connection (RFC 7766). */
export class Exchange {
  readonly #questions: readonly Question[]
  readonly #answers = new Map<Question, Answer>()
  readonly #done: (answer: Answer) => void
  readonly #timer: Timeout
  readonly #attempt: Attempt
  #fd = -1
  #watcher: Watcher | undefined
  /** Buffer for the part to receive next: the length of a DNS message, or the message. */
  #part = new Uint8Array(PREFIX)
  #filled = 0
  #isLength = true

  constructor(server: string, name: Uint8Array, done: (answer: Answer) => void) {
    const [first = 0, second = 0] = fillRandom(new Uint16Array(2))
    this.#questions = [
      { id: first, name, type: A },
      { id: second, name, type: AAAA },
    ]
    this.#done = done
    this.#timer = new Timeout(() => this.#end(), TIMEOUT_MS, false)
    this.#attempt = new Attempt(ipAddress(server, PORT), (result) => {
      if (result < 0) this.#end()
      else this.#ask(result)
    })
  }

  cancel(): void {
    this.#timer.close()
    this.#attempt.cancel()
    this.#watcher?.stop()
    if (this.#fd >= 0) call('close', this.#fd)
    this.#fd = -1
  }

  #ask(fd: number): void {
    this.#fd = fd
    const bytes = Uint8Array.from(this.#questions.flatMap((question) => [...encodeQuery(question)]))
    // Sends both DNS queries in one call, because they fit into a new socket's buffer.
    const count = callAgain('sendto', fd, bytes, bytes.length, MSG_NOSIGNAL, null, 0)
    if (count === bytes.length) this.#watcher = new Watcher(fd, POLLIN, () => this.#receive(fd))
    else this.#end()
  }

  #receive(fd: number): void {
    const rest = this.#part.subarray(this.#filled)
    const count = call('read', fd, rest, rest.length)
    if (count === EAGAIN || count === EINTR) return
    if (count <= 0) {
      this.#end()
      return
    }
    this.#filled += count
    if (this.#filled < this.#part.length) return
    const [high = 0, low = 0] = this.#part
    if (this.#isLength) this.#expect(high * 256 + low, false)
    else if (this.#take(this.#part)) this.#expect(PREFIX, true)
    else this.#end()
  }

  #expect(length: number, isLength: boolean): void {
    this.#part = new Uint8Array(length)
    this.#filled = 0
    this.#isLength = isLength
    if (length === 0) this.#end()
  }

  /** Stores an answer of the DNS server. Returns false if the exchange must end. */
  #take(message: Uint8Array): boolean {
    const open = this.#questions.filter((question) => !this.#answers.has(question))
    for (const question of open) {
      const answer = readAnswer(message, question)
      if (answer === undefined) continue
      this.#answers.set(question, answer)
      return open.length > 1
    }
    return false
  }

  #end(): void {
    this.cancel()
    const answers = this.#questions.map((question) => this.#answers.get(question) ?? 'failed')
    // Addresses of one query (A or AAAA) are enough, even if the other query fails.
    const addresses = answers.flatMap((answer) => (answer === 'failed' ? [] : answer))
    this.#done(addresses.length === 0 && answers.includes('failed') ? 'failed' : addresses)
  }
}
