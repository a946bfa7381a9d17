import { createServer, type Server } from 'node:http'
import type { Registry } from './registry.ts'

/** Creates an HTTP server that answers `GET /10.42.0.5` with the containers that have this address. */
export function answers(known: Registry): Server {
  return createServer(({ method, url = '' }, response) => {
    const found = method === 'GET' ? known.whoIs(addressIn(url)) : []
    response.writeHead(found.length === 0 ? 404 : 200, { 'content-type': 'application/json' })
    response.end(`${JSON.stringify(found)}\n`)
  })
}

function addressIn(url: string): string {
  try {
    return decodeURIComponent(url.slice(1))
  } catch {
    // The request's path has an invalid percent escape, so it contains no address.
    return ''
  }
}
