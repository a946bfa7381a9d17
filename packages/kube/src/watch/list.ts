import * as z from 'zod/mini'
import { KubeError } from '../kube-error.ts'
import { itemSplitter } from './item-splitter.ts'
import { type ListWatchOptions, paused, selectors } from './list-watch-options.ts'
import { pageSize, type State } from './list-watch-state.ts'
import { maxObjectBytes, parse } from './object-text.ts'

/** Maximum size of a list's page in bytes. */
const maxPageBytes = 64 * 1024 * 1024
/** Limits of one list: pages, objects and milliseconds. A list that exceeds one of these limits fails. */
const maxPages = 1000
const maxObjects = 200_000
const maxListMs = 300_000
/** Number of a list's pages that are requested without a pause. Before each later page, the client waits `pageMs`. */
const fastPages = 20
const pageMs = 100

const listSchema = z.object({ metadata: z.object({ resourceVersion: z.string(), continue: z.optional(z.string()) }) })

/** Reads all objects, in one answer or in pages, and passes them to the observer. Throws `KubeError`. */
export async function list(options: ListWatchOptions, state: State): Promise<void> {
  const { observer, path, paged } = options
  observer.listing()
  // Requests a whole list from the server's cache, because all nodes may list at once.
  const fromCache = !paged && state.next === 'list' && state.limit === pageSize
  const until = performance.now() + maxListMs
  const seen: Seen = { pages: 0, objects: 0 }
  let next: string | undefined
  do {
    if (seen.pages > fastPages) await paused(options, pageMs)
    const query = new URLSearchParams(selectors(options))
    if (next !== undefined || !fromCache || state.version === undefined) query.set('limit', String(state.limit))
    if (next !== undefined) query.set('continue', next)
    else if (fromCache) query.set('resourceVersion', state.version ?? '0')
    const { metadata } = await page(options, query, state, seen)
    if (metadata.continue !== undefined && metadata.continue === next) {
      throw new KubeError('BAD_ANSWER', `GET ${path}: two pages of the list have the same "continue"`)
    }
    next = metadata.continue || undefined
    if (next === undefined) state.version = metadata.resourceVersion
    seen.pages += 1
    if (next !== undefined && (seen.pages >= maxPages || seen.objects > maxObjects || performance.now() > until)) {
      const read = `${seen.pages} pages with ${seen.objects} objects`
      throw new KubeError('BAD_ANSWER', `GET ${path}: the list has no end: gave up after ${read}`)
    }
  } while (next !== undefined)
  state.next = 'watch'
  observer.listed()
}

/** Numbers of pages and objects of a list that were read so far. */
interface Seen {
  pages: number
  objects: number
}

/** Reads one page of a list. Parses objects one by one to save memory. */
async function page(options: ListWatchOptions, query: URLSearchParams, state: State, seen: Seen) {
  const { connect, path, observer, signal } = options
  const url = `${path}?${query}`
  const splitter = itemSplitter({
    maxItemBytes: maxObjectBytes,
    onItem(text) {
      seen.objects += 1
      observer.present(parse(text))
    },
    onTooLong: () => observer.present(undefined),
  })
  let bytes = 0
  await connect().send(
    {
      method: 'GET',
      path: url,
      timeoutMs: 60_000,
      onData(chunk) {
        bytes += chunk.length
        if (bytes > maxPageBytes) {
          state.limit = Math.max(1, Math.floor(state.limit / 4))
          throw new KubeError('BAD_ANSWER', `GET ${url}: the answer is larger than ${maxPageBytes} bytes`)
        }
        splitter.take(chunk)
        if (splitter.isNoList()) {
          throw new KubeError('BAD_ANSWER', `GET ${path}: the answer is not a list: most of it are no items`)
        }
      },
    },
    { signal },
  )
  const parsed = listSchema.safeParse(parse(splitter.end()))
  if (!parsed.success) throw new KubeError('BAD_ANSWER', `GET ${path}: the answer is not a list`)
  return parsed.data
}
