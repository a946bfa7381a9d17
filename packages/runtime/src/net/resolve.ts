import { readFileSync } from '../fs/whole-file.ts'
import { nextTick } from '../loop/ticks.ts'
import { Exchange } from './dns-exchange.ts'
import { encodeName } from './dns-message.ts'
import { candidates, readResolvConf } from './resolv-conf.ts'

/** Error numbers of libuv for DNS failures. These numbers are not errnos of the kernel. */
export const EAI_AGAIN = -3001
export const ENOTFOUND = -3008

/** Resolves a host name by DNS. */
export class Lookup {
  readonly #servers: string[]
  readonly #names: Uint8Array[]
  readonly #done: (result: number, addresses: readonly string[]) => void
  #exchange: Exchange | undefined
  #isOver = false

  /** Starts to resolve a host name. Calls `done` asynchronously, with IPv4 addresses first. */
  constructor(name: string, done: (result: number, addresses: readonly string[]) => void) {
    const conf = readResolvConf(resolvConf())
    this.#servers = [...conf.servers]
    this.#names = candidates(name, conf)
      .map(encodeName)
      .filter((encoded) => encoded !== undefined)
    this.#done = done
    nextTick(() => this.#next())
  }

  cancel(): void {
    this.#isOver = true
    this.#exchange?.cancel()
  }

  #next(): void {
    if (this.#isOver) return
    const [name] = this.#names
    const [server] = this.#servers
    if (name === undefined) this.#done(ENOTFOUND, [])
    // Does not try the next search name, because that name could belong to another host.
    else if (server === undefined) this.#done(EAI_AGAIN, [])
    else {
      this.#exchange = new Exchange(server, name, (answer) => {
        if (answer !== 'failed' && answer.length > 0) {
          this.#done(0, answer)
          return
        }
        if (answer === 'failed') this.#servers.shift()
        else this.#names.shift()
        this.#next()
      })
    }
  }
}

function resolvConf(): string {
  try {
    return String(readFileSync('/etc/resolv.conf', 'utf8'))
  } catch {
    // Uses the local machine as the DNS server if `/etc/resolv.conf` is missing.
    return ''
  }
}
