import type { CallState } from '../state/call-state.ts'

/** What a plugin gets that declares no state: nothing is kept, and who wants to keep something is told how. */
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
