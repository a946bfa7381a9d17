import type { Frame } from '../../serve/frame.ts'
import type { NamespaceFacts } from '../../serve/protocol.ts'
import { readFacts } from '../../serve/read-request.ts'

/** What a plugin will tell of a namespace, once. */
export interface ToldFacts {
  /** Rejects when the plugin told nothing, or nothing of the kind. */
  known(): Promise<NamespaceFacts>
  take(frame: Frame): void
  /** It does not tell any more. Does nothing when it has. */
  over(): void
}

/** Facts that are not there yet. */
export function toldFacts(): ToldFacts {
  let over = (): void => {}
  let take: ToldFacts['take'] = () => {}
  const facts = new Promise<NamespaceFacts>((resolve, reject) => {
    take = (frame) => {
      try {
        resolve(readFacts(frame))
      } catch (error) {
        reject(error)
      }
    }
    over = () => reject(new Error('the plugin tells nothing of the namespace'))
  })
  // Not every answer waits for them.
  facts.catch(() => {})
  return { known: () => facts, take, over }
}
