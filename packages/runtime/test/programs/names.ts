import { request } from 'node:http'
import { connect } from 'node:net'

/** Connection to make to a host name. The test program reads this object as JSON from its first argument. */
export interface Named {
  readonly by?: 'http' | 'net'
  readonly host: string
  readonly port?: number
  /** Milliseconds until the program aborts the connection by an `AbortSignal`. */
  readonly abortMs?: number
  /** Milliseconds until the program calls `destroy` of the socket. */
  readonly destroyMs?: number
}

/** Main function of a test program that connects to a host name. */
export default async function main(): Promise<void> {
  const { by = 'net', ...asked }: Named = JSON.parse(process.argv[2] ?? '')
  const text = await (by === 'http' ? viaHttp(asked) : viaNet(asked)).catch(failure)
  process.stdout.write(`${text}\n`)
}

const failure = (error: unknown): string =>
  error instanceof Error ? `${'code' in error ? error.code : error.name}: ${error.message}` : String(error)

const signalOf = ({ abortMs }: Named): { signal?: AbortSignal } =>
  abortMs === undefined ? {} : { signal: AbortSignal.timeout(abortMs) }

function viaNet(asked: Named): Promise<string> {
  const { host, port = 8080, destroyMs } = asked
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host, port, ...signalOf(asked) }, () => void socket.write('GET / HTTP/1.0\r\n\r\n'))
    socket.on('data', (chunk: Buffer) => {
      text += chunk
    })
    socket.on('end', () => resolve(text.split('\r\n\r\n')[1] ?? text))
    socket.on('error', reject)
    socket.on('close', () => resolve('closed'))
    if (destroyMs !== undefined) setTimeout(() => socket.destroy(), destroyMs)
  })
}

function viaHttp(asked: Named): Promise<string> {
  const { host, port = 8080, destroyMs } = asked
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, ...signalOf(asked) }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk
      })
      response.on('end', () => resolve(text))
    })
    sent.on('error', reject)
    sent.end()
    if (destroyMs !== undefined) setTimeout(() => sent.destroy(), destroyMs)
  })
}
