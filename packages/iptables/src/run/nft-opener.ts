import type { Nft } from '@cni/nftables/wire'
import type { Programs } from './backend.ts'
import type { IptablesPort } from './port.ts'

/** Opens nf_tables for one operation at a time: a socket that stays open would keep the namespace alive. */
export class NftOpener {
  readonly #port: IptablesPort
  readonly #programs: Programs
  #works: boolean | undefined
  #spare: Nft | undefined

  constructor(port: IptablesPort, programs: Programs) {
    this.#port = port
    this.#programs = programs
  }

  /** For the caller to close; `undefined` where only programs reach the rules. */
  open(): Nft | undefined {
    const spare = this.#take()
    if (spare !== undefined || this.#programs === 'always' || this.#works === false) return spare
    const nft = this.#port.nfnetlink?.()
    this.#works = nft !== undefined
    return nft
  }

  /** Whether it opens. Only opening it shows, and who asks is about to: what was opened is kept until then. */
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
