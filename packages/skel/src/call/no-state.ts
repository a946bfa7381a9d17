import type { CallState } from '../state/call-state.ts'

/**
 * Creates `c.state` for a plugin without `state`. Its methods throw an error that explains how to declare a `state`.
 */
export function noState(plugin: string): CallState {
  const refuse = (): never => {
    throw new TypeError(`${plugin}: c.state needs a schema: definePlugin({ state: attachmentState(schema), … })`)
  }
  const refused = { read: refuse, write: refuse }
  return {
    strict: refused,
    tolerant: refused,
    ofNetwork: () => ({ stale: refuse }),
    forget() {},
    sweep() {},
  }
}
