import type { ServerResponse } from 'node:http'
import type { PodChange, PodStore } from './pod-store.ts'
import { chosen } from './selectors.ts'
import { expired } from './status.ts'

/** Answers a watch: what happened since the version of the query, then what happens, until the client leaves. */
export function watchPods(response: ServerResponse, pods: PodStore, query: URLSearchParams): void {
  response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
  response.flushHeaders()
  const from = Number(query.get('resourceVersion') ?? pods.version())
  const missed = pods.since(from)
  if (missed === undefined) {
    response.end(`${JSON.stringify({ type: 'ERROR', object: expired(from, pods.version()) })}\n`)
    return
  }
  const tell = ({ type, object }: PodChange): void => {
    if (chosen(object, query)) response.write(`${JSON.stringify({ type, object })}\n`)
  }
  for (const change of missed) tell(change)
  response.once('close', pods.subscribe(tell))
}

/** What a server says now and then to those who asked for it, so that they need not go far back. */
export const bookmark = (version: number): string =>
  `${JSON.stringify({
    type: 'BOOKMARK',
    object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: String(version) } },
  })}\n`
