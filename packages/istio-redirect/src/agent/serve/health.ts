import type { Server } from 'node:http'
import { escapeUnsafe } from '@cni/types'
import type { BoundedOptions } from '../server/bounded-connections.ts'
import { boundedServer } from '../server/bounded-server.ts'
import { targetOf } from '../server/target.ts'

/** Readiness of the agent for the kubelet, with the reasons why the agent is not ready. */
export interface Readiness {
  readonly ready: boolean
  readonly reasons: readonly string[]
}

/** HTTP server for the kubelet's probes of the agent. `/readyz?verbose` lists the reasons. */
export function healthServer(readiness: () => Readiness, options?: BoundedOptions): Server {
  return boundedServer((request, response) => {
    request.resume()
    const { path, query } = targetOf(request)
    if (path === '/healthz') {
      response.writeHead(200).end()
    } else if (path === '/readyz') {
      const { ready, reasons } = readiness()
      const why = query.has('verbose') ? reasons.map((reason) => `${escapeUnsafe(reason)}\n`).join('') : ''
      if (ready) response.writeHead(200).end(why)
      else response.writeHead(503, PLAIN).end(`Service Unavailable\n${why}`)
    } else {
      response.writeHead(404, PLAIN).end('404 page not found\n')
    }
  }, options)
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
