import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { messageOf, printable } from '@cni/types'
import { bodyOf } from '../../server/body-of.ts'
import { type BoundedOptions, boundsFor } from '../../server/bounded-connections.ts'
import { boundedServer } from '../../server/bounded-server.ts'
import { notFound, targetOf } from '../../server/target.ts'
import type { Counter, ScopedLog } from '../../shared/deps.ts'
import { type PodEvent, readPodEvent } from './pod-event.ts'

/** Options of {@link eventServer}, the HTTP server for events of plugins. */
export interface EventServerOptions extends Pick<BoundedOptions, 'closed'> {
  /** Adds the pod of a plugin's event to the mesh. The plugin gets the error if this call rejects. */
  readonly enrol: (event: PodEvent, signal: AbortSignal) => Promise<void>
  /** Metric that counts the requests of plugins, by `response_code`. */
  readonly requests: Counter
  readonly log: ScopedLog
}

/** Maximal size of a plugin's request in bytes. Events are short, because a pod has few addresses. */
const MAX_BYTES = 64 * 1024

/** HTTP server for events about starting pods, from this project's plugin and from Istio's. */
export function eventServer(options: EventServerOptions): Server {
  // Accepts many connections, because the plugins of all pods connect at once after a reboot.
  const bounds = { ...boundsFor(256), totalMs: 30_000 }
  return boundedServer(
    (request, response) => {
      if (targetOf(request).path !== '/cmdadd') return notFound(request, response)
      const left = new AbortController()
      response.once('close', () => left.abort(new Error('the plugin closed its connection')))
      void answer(request, options, left.signal).then((reply) => send(request, response, reply, options))
    },
    { ...(options.closed && { closed: options.closed }), bounds },
  )
}

// internal

interface Reply {
  readonly status: 200 | 400 | 500
  readonly text: string
}

async function answer(
  request: IncomingMessage,
  { enrol, log }: EventServerOptions,
  signal: AbortSignal,
): Promise<Reply> {
  let event: PodEvent
  try {
    event = readPodEvent(await bodyOf(request, { maxBytes: MAX_BYTES }))
  } catch (error) {
    log.error(`invalid event of a plugin: ${printable(messageOf(error))}`)
    return { status: 400, text: messageOf(error) }
  }
  const began = performance.now()
  try {
    await enrol(event, signal)
    const durationMs = Math.round(performance.now() - began)
    log.debug('enrolled a pod that a plugin handed over', { pod: podText(event), durationMs })
    return { status: 200, text: '' }
  } catch (error) {
    log.error(`cannot enrol a pod that a plugin handed over: ${printable(messageOf(error))}`, { pod: podText(event) })
    return { status: 500, text: messageOf(error) }
  }
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, text }: Reply,
  { requests }: EventServerOptions,
): void {
  requests.inc({ response_code: String(status) })
  if (response.destroyed) return
  const headers = text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' }
  // Closes the connection of an oversized request, because part of the body is unread.
  response.writeHead(status, headers).end(text === '' ? undefined : `${text}\n`, () => {
    if (!request.complete) request.destroy()
  })
}

const podText = ({ namespace, name }: PodEvent): string => printable(`${namespace}/${name}`)
