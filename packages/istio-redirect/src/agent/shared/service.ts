/** Reason why a service of the agent ends. Only `removed` also removes the service's state. */
export type EndReason = 'followed' | 'removed' | 'exchanged'

/** Service of the agent that can be reconfigured while the agent runs. */
export interface Service<C> {
  /** Starts the service, or restarts it if its settings have changed. */
  update(config: C): Promise<void>
  close(why: EndReason): Promise<void>
}

/** Creates a service that restarts when the result of `key` changes. New instances start before old ones end. */
export function agentService<C>(
  key: (config: C) => unknown,
  start: (config: C) => Promise<(why: EndReason) => Promise<void>>,
): Service<C> {
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
