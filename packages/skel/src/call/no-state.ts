import type { CallState } from '../state/call-state.ts'

/** `c.state` of a plugin without `state`: throws an error that explains the declaration. */
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
