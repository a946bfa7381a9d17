import { type AskOptions, ask } from './ask.ts'
import { type Pod, parsePod } from './parse-pod.ts'

/** Gets one pod from the API server, with retries. */
export function getPod(who: { readonly namespace: string; readonly name: string }, options: AskOptions): Promise<Pod> {
  const what = `pod ${who.namespace}/${who.name}`
  return ask({ what, path: podPath(who), parse: (document) => parsePod(document, who) }, options)
}

/** Returns the API path of a pod. */
export const podPath = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`
