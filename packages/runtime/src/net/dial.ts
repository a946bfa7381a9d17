import { ipAddress, unixAddress } from './address.ts'
import { Attempt } from './attempt.ts'
import { lookupHost } from './lookup.ts'
import { Lookup } from './resolve.ts'
import type { Target } from './target.ts'

/** Connects a socket. Tries all addresses of a host name until a server accepts. */
export class Dial {
  readonly #settle: (result: number, target: Target) => void
  #step: Lookup | Attempt | undefined
  #hasRef = true

  /** Starts to connect. Calls `settle` asynchronously with the descriptor or a negative errno. */
  constructor(target: Target, settle: (result: number, target: Target) => void) {
    this.#settle = settle
    if ('path' in target) {
      this.#step = new Attempt(unixAddress(target.path), (result) => settle(result, target))
      return
    }
    const { host, port } = target
    const known = lookupHost(host)
    if (known !== undefined) {
      this.#step = new Attempt(ipAddress(known, port), (result) => settle(result, target))
      return
    }
    this.#step = new Lookup(host, (result, addresses) => {
      if (result < 0) settle(result, target)
      else this.#try(addresses, port)
    })
  }

  setRef(hasRef: boolean): void {
    this.#hasRef = hasRef
    if (this.#step instanceof Attempt) this.#step.setRef(hasRef)
  }

  cancel(): void {
    this.#step?.cancel()
  }

  #try([address = '', ...others]: readonly string[], port: number): void {
    const attempt = new Attempt(ipAddress(address, port), (result) => {
      if (result < 0 && others.length > 0) this.#try(others, port)
      else this.#settle(result, { host: address, port })
    })
    attempt.setRef(this.#hasRef)
    this.#step = attempt
  }
}
