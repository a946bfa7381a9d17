import type { IncomingMessage } from 'node:http'

/** Parses the target of an HTTP request. A URL parser would refuse some targets. */
export function targetOf({ url = '/' }: Pick<IncomingMessage, 'url'>): { path: string; query: URLSearchParams } {
  const [path = '', ...query] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query.join('?')) }
}
