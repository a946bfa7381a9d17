import { request } from 'node:https'
import { type ConnectionOptions, connect } from 'node:tls'

type Trust =
  | ('allowPartialTrustChain' | 'ca' | 'cert' | 'ciphers' | 'key' | 'minVersion' | 'passphrase' | 'pfx')
  | ('rejectUnauthorized' | 'servername')

/** HTTPS request to make. The test program reads the request as JSON from its first argument. */
export interface Asked extends Pick<ConnectionOptions, Trust> {
  readonly host?: string
  readonly port: number
  readonly path?: string
  readonly method?: string
  /** True to make only a TLS handshake, by `tls.connect`. */
  readonly handshake?: boolean
  readonly body?: string
  /** Milliseconds until the program aborts the request. */
  readonly abortMs?: number
  readonly times?: number
}

/** Main function of a test program: makes an HTTPS request and prints its result as a line of JSON. */
export default async function main(): Promise<void> {
  const { times = 1, ...asked }: Asked = JSON.parse(process.argv[2] ?? '')
  for (let made = 0; made < times; made++) {
    const outcome = await (asked.handshake ? shakeHands(asked) : send(asked)).catch(failure)
    process.stdout.write(`${JSON.stringify(outcome)}\n`)
  }
}

const failure = (error: unknown): object =>
  error instanceof Error ? { code: 'code' in error ? error.code : error.name, message: error.message } : { error }

function send({ body, abortMs, ...options }: Asked): Promise<object> {
  const signal = abortMs === undefined ? {} : { signal: AbortSignal.timeout(abortMs) }
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, ...signal }, (response) => {
      let length = 0
      let text = ''
      response.on('data', (chunk: Buffer) => {
        length += chunk.length
        if (text.length < 100) text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, length, text: text.slice(0, 100) }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function shakeHands(options: Asked): Promise<object> {
  return new Promise((resolve, reject) => {
    const { path: _, ...place } = options
    const socket = connect(place, () => {
      const { subject, issuer } = socket.getPeerX509Certificate() ?? {}
      const { authorized, encrypted } = socket
      const error = socket.authorizationError ? String(socket.authorizationError) : null
      resolve({ protocol: socket.getProtocol(), authorized, encrypted, error, subject, issuer })
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
