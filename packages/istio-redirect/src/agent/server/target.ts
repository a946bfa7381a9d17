import type { IncomingMessage } from 'node:http'

/** What a request asks for. Whoever sent it may have written anything there, so that it need not be a URL. */
export function targetOf({ url = '/' }: Pick<IncomingMessage, 'url'>): { path: string; query: URLSearchParams } {
  const [path = '', ...query] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query.join('?')) }
}
