/**
 * Reason why the agent ends one of its components, such as ambient mode.
 * - `followed`: another agent follows on this node and takes over the existing state.
 * - `removed`: no agent follows, and the component removes all its state from the node.
 * - `exchanged`: the same agent continues with another configuration, or leaves the work to a newer agent.
 */
export type EndReason = 'followed' | 'removed' | 'exchanged'

/** Component of the agent that can be reconfigured while the agent runs. */
export interface Part<C> {
  /** Starts the component, or restarts it if its settings have changed. */
  update(config: C): Promise<void>
  close(why: EndReason): Promise<void>
}

/**
 * Creates a component of the agent. The component restarts when the JSON of `key`'s result changes. The new instance
 * starts before the old one ends. `start` resolves with the function that stops the component.
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
