import type { AddContext } from '@cni/skel'
import { isText, membersOf } from '@cni/skel/plain'
import { podAnnotationsKey } from '../decide/before-asking.ts'
import type { FoundRedirect } from '../decide/redirection.ts'
import type { Conf } from './conf.ts'
import type { PlaceOfPod } from './place-of-pod.ts'
import type { Settings } from './settings.ts'

/** Where the traffic of a pod is redirected, if it is to be. */
export interface LaterPlace extends Disposable {
  /**
   * Does what the pod needs by the annotations that the runtime hands over, while the API server is asked what it is, as far
   * as there is time. Changes nothing, and never rejects: what fails now does so again when it is needed. Where none are
   * handed over most pods are none of the mesh, and nothing is done for them.
   */
  getReady(asked: Promise<unknown>): Promise<void>
  redirect(found: FoundRedirect): Promise<void>
}

/** What takes long to load is not loaded until the request is on its way. */
export function laterPlace(c: AddContext<Conf>, settings: Settings): LaterPlace {
  let place: PlaceOfPod | undefined
  const open = async (): Promise<PlaceOfPod> => {
    const { PlaceOfPod } = await import('./place-of-pod.ts')
    place ??= new PlaceOfPod(c, settings)
    return place
  }
  return {
    async getReady(asked) {
      const annotations = c.conf.runtimeConfig?.[podAnnotationsKey]
      if (!areAnnotations(annotations)) return
      let isOver = false
      const end = (): void => {
        isOver = true
      }
      asked.then(end, end)
      try {
        await turn()
        for await (const _ of (await open()).preparations(annotations)) {
          await turn()
          if (isOver) return
        }
      } catch {
        // Who needs it says what is wrong.
      }
    },
    redirect: async (found) => (await open()).redirect(found),
    [Symbol.dispose]: () => place?.[Symbol.dispose](),
  }
}

// internal

const areAnnotations = membersOf(isText)

/** Lets the request, and what comes of it, go first. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
