import type { ServerResponse } from 'node:http'
import type { ObjectChange, ObjectStore, StoredObject } from './object-store.ts'
import { chosen } from './selectors.ts'
import { expired } from './status.ts'

/**
 * Answers a watch: what happened since the version of the query, or what is there where the query wants to begin with that,
 * then what happens, until the client leaves.
 */
export function watchObjects<T extends StoredObject>(
  response: ServerResponse,
  store: ObjectStore<T>,
  query: URLSearchParams,
): void {
  response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
  response.flushHeaders()
  const tell = ({ type, object }: Pick<ObjectChange<T>, 'type' | 'object'>): void => {
    if (chosen(object, query)) response.write(`${JSON.stringify({ type, object })}\n`)
  }
  if (query.get('sendInitialEvents') === 'true') {
    for (const object of store.all()) tell({ type: 'ADDED', object })
    response.write(bookmark(store, { 'k8s.io/initial-events-end': 'true' }))
  } else {
    const from = Number(query.get('resourceVersion') ?? store.version())
    const missed = store.since(from)
    if (missed === undefined) {
      response.end(`${JSON.stringify({ type: 'ERROR', object: expired(from, store.version()) })}\n`)
      return
    }
    for (const change of missed) tell(change)
  }
  response.once('close', store.subscribe(tell))
}

/** What a server says now and then to those who asked for it, so that they need not go far back. */
export function bookmark<T extends StoredObject>(
  { kind, version }: Pick<ObjectStore<T>, 'kind' | 'version'>,
  annotations?: Readonly<Record<string, string>>,
): string {
  const metadata = { resourceVersion: String(version()), annotations }
  return `${JSON.stringify({ type: 'BOOKMARK', object: { kind, apiVersion: 'v1', metadata } })}\n`
}
