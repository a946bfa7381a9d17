import type { CallState } from '../state/call-state.ts'

/**
 * State of a plugin without a state schema. It stores nothing; reading and writing throw an error that explains how to
 * declare one.
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
