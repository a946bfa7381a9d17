/**
 * Why a part ends. `followed`: another agent follows on this node and finds what is there. `removed`: none does, and
 * nothing stays. `exchanged`: the same agent goes on with another configuration, or left the work to a newer agent.
 */
export type EndReason = 'followed' | 'removed' | 'exchanged'

/** Something the agent runs, which can be given another configuration. */
export interface Part<C> {
  /** Starts it, or exchanges it when what it depends on is different. The new one is there before the old one ends. */
  update(config: C): Promise<void>
  close(why: EndReason): Promise<void>
}

/**
 * A part that is started anew whenever `key` has another value (compared as JSON). `start` returns the function that ends
 * what it started.
 */
export function agentPart<C>(
  key: (config: C) => unknown,
  start: (config: C) => Promise<(why: EndReason) => Promise<void>>,
): Part<C> {
  let running: { readonly key: string; readonly stop: (why: EndReason) => Promise<void> } | undefined
  return {
    async update(config) {
      const wanted = JSON.stringify(key(config)) ?? ''
      if (running?.key === wanted) return
      const old = running
      running = { key: wanted, stop: await start(config) }
      await old?.stop('exchanged')
    },
    async close(why) {
      const old = running
      running = undefined
      await old?.stop(why)
    },
  }
}
