import type { Nft } from '@cni/nftables/wire'
import type { Programs } from './backend.ts'
import type { IptablesPort } from './port.ts'

/** Opens a new netlink socket for each operation: a permanent socket would keep the namespace alive. */
export class NftOpener {
  readonly #port: IptablesPort
  readonly #programs: Programs
  #works: boolean | undefined
  #spare: Nft | undefined

  constructor(port: IptablesPort, programs: Programs) {
    this.#port = port
    this.#programs = programs
  }

  /**
   * Opens a netlink socket to nf_tables, which the caller closes. `undefined` if only iptables programs can reach the
   * rules.
   */
  open(): Nft | undefined {
    const spare = this.#take()
    if (spare !== undefined || this.#programs === 'always' || this.#works === false) return spare
    const nft = this.#port.nfnetlink?.()
    this.#works = nft !== undefined
    return nft
  }

  /** True if a netlink socket to nf_tables can be opened. Keeps the opened socket for the next `open`. */
  works(): boolean {
    if (this.#works === undefined) {
      this.#spare = this.open()
      if (this.#spare !== undefined) setImmediate(() => this.#take()?.close())
    }
    return this.#works === true
  }

  #take(): Nft | undefined {
    const spare = this.#spare
    this.#spare = undefined
    return spare
  }
}
