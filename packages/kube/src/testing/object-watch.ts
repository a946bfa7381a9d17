import type { ServerResponse } from 'node:http'
import type { ObjectChange, ObjectStore, StoredObject } from './object-store.ts'
import { chosen } from './selectors.ts'
import { expired } from './status.ts'

/** Answers a watch request with existing objects or changes, until the client disconnects. */
export function watchObjects<T extends StoredObject>(
  response: ServerResponse,
  store: ObjectStore<T>,
  query: URLSearchParams,
): void {
  response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
  response.flushHeaders()
  const send = ({ type, object }: Pick<ObjectChange<T>, 'type' | 'object'>): void => {
    if (chosen(object, query)) response.write(`${JSON.stringify({ type, object })}\n`)
  }
  if (query.get('sendInitialEvents') === 'true') {
    for (const object of store.all()) send({ type: 'ADDED', object })
    response.write(bookmark(store, { 'k8s.io/initial-events-end': 'true' }))
  } else {
    const from = Number(query.get('resourceVersion') ?? store.version())
    const missed = store.since(from)
    if (missed === undefined) {
      response.end(`${JSON.stringify({ type: 'ERROR', object: expired(from, store.version()) })}\n`)
      return
    }
    for (const change of missed) send(change)
  }
  response.once('close', store.subscribe(send))
}

/** Creates a bookmark event with the current resource version, from which a client can resume. */
export function bookmark<T extends StoredObject>(
  { kind, version }: Pick<ObjectStore<T>, 'kind' | 'version'>,
  annotations?: Readonly<Record<string, string>>,
): string {
  const metadata = { resourceVersion: String(version()), annotations }
  return `${JSON.stringify({ type: 'BOOKMARK', object: { kind, apiVersion: 'v1', metadata } })}\n`
}
