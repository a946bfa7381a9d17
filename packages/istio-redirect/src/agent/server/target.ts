import type { IncomingMessage, ServerResponse } from 'node:http'

/** Parses the target of an HTTP request. A URL parser would refuse some targets. */
export function targetOf({ url = '/' }: Pick<IncomingMessage, 'url'>): { path: string; query: URLSearchParams } {
  const [path = '', ...query] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query.join('?')) }
}

/** Answers a request for an unknown path with status 404. */
export function notFound(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('404 page not found\n')
}
