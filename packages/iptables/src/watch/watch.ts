import { diffRuleset } from '../apply/verify.ts'
import type { Drift } from '../drift.ts'
import type { Ruleset } from '../rules/model.ts'
import { checkInteger } from '../rules/numbers.ts'
import type { Generation, IptablesPort } from '../run/port.ts'
import type { Session } from '../session/session.ts'
import { isClean } from '../state/drift.ts'

/** Event of a watch: result of one check of the rules in the kernel. */
export type WatchEvent =
  | { readonly state: 'clean' }
  | { readonly state: 'drift'; readonly drift: Drift }
  | { readonly state: 'error'; readonly error: unknown }

/** Checks a ruleset at intervals. On nft, reads the rules only after a change. */
export async function* watchRuleset(
  session: Session,
  port: IptablesPort,
  rules: Ruleset,
  { signal, interval = 30_000 }: { signal?: AbortSignal | undefined; interval?: number | undefined },
): AsyncGenerator<WatchEvent, void, void> {
  const pause = checkInteger(interval, 10, 86_400_000, 'interval')
  const counter = new Counter(session, port)
  let clean: number | boolean = false
  try {
    for (;;) {
      let event: WatchEvent | undefined
      try {
        // Reads the change counter first, so that the next check notices a concurrent change.
        const generation = await counter.current()
        if (generation === undefined || generation !== clean) {
          const drift = await diffRuleset(session, rules)
          if (!isClean(drift)) event = { state: 'drift', drift }
          else if (clean === false) event = { state: 'clean' }
          clean = event?.state === 'drift' ? false : (generation ?? true)
        }
      } catch (error) {
        clean = false
        event = { state: 'error', error }
      }
      if (signal?.aborted === true) return
      if (event !== undefined) yield event
      if (!(await paused(pause, signal))) return
    }
  } finally {
    counter.close()
  }
}

// internal

/** Reader of the kernel's change counter, which does not count changes of legacy rules. */
class Counter {
  readonly #session: Session
  readonly #port: IptablesPort
  #open: Generation | 'none' | undefined

  constructor(session: Session, port: IptablesPort) {
    this.#session = session
    this.#port = port
  }

  async current(): Promise<number | undefined> {
    this.#open ??= (await this.#find()) ?? 'none'
    return this.#open === 'none' ? undefined : this.#open.current()
  }

  close(): void {
    if (this.#open !== undefined && this.#open !== 'none') this.#open.close()
  }

  async #find(): Promise<Generation | undefined> {
    const { chosen, other } = await this.#session.backends()
    if (chosen.kind !== 'iptables-nft' || other !== undefined) return undefined
    try {
      return await this.#port.generation?.()
    } catch (error) {
      this.#session.log?.debug('no generation of nftables rules, reading them each time', { error: String(error) })
      return undefined
    }
  }
}

/** Waits until the next check of a watch. Returns false if the AbortSignal ends the wait. */
function paused(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve(signal?.aborted !== true)
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
    // Checks the signal again: it may have aborted while the caller handled an event of the watch.
    if (signal?.aborted === true) end()
  })
}
