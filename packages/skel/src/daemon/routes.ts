import type { IncomingMessage, ServerResponse } from 'node:http'
import { CniError, CURRENT_VERSION, ErrorCode, encodeError, toErrorDocument } from '@cni/types'
import type { Plugin } from '../definition/plugin.ts'
import type { NetnsPort } from '../io.ts'
import type { EnvVars } from '../protocol/environment.ts'
import { runPlugin } from '../run.ts'
import type { StateFolder } from '../state/state-folder.ts'
import { readBody } from './read-body.ts'
import { decodeCall, type WireCall } from './wire.ts'

/** Members of the daemon that its HTTP routes use. */
export interface Service {
  readonly plugin: Plugin
  readonly env: EnvVars
  readonly maxBody: number
  readonly netns?: NetnsPort
  stateFolder?(path: string): StateFolder
  /** AbortControllers of the running calls. Each call has its own, because Node.js 20 warns about many listeners. */
  readonly running: Set<AbortController>
  /** Returns the error with which running and new CNI calls fail after the daemon's grace period. */
  halted(): CniError | undefined
  isReady(): boolean
  stderr(line: string): void
}

/**
 * Answers an HTTP request to the daemon, even a request with an unknown path. Resolves when the answer is sent; never
 * rejects.
 */
export async function answerTo(request: IncomingMessage, response: ServerResponse, service: Service): Promise<void> {
  // Answers only one request on each connection. A closed connection therefore means that the client is gone.
  response.setHeader('connection', 'close')
  const [path = ''] = (request.url ?? '').split('?')
  const isPost = request.method === 'POST'
  try {
    if (path === '/cni' && isPost) await call(request, response, service)
    else if (path === '/cni') await send(response, 405, 'only POST\n')
    else if (!isPost && request.method !== 'GET') await send(response, 405, 'only GET and POST\n')
    else if (path === '/healthz') await send(response, 200, 'ok\n')
    else if (path === '/readyz')
      await (service.isReady() ? send(response, 200, 'ok\n') : send(response, 503, 'not ready\n'))
    else await send(response, 404, 'not found\n')
  } catch (error) {
    await send(response, 400, failure(error))
  }
}

async function call(request: IncomingMessage, response: ServerResponse, service: Service): Promise<void> {
  const body = await readBody(request, service.maxBody)
  if (body === 'gone') return
  if (body === 'too large') {
    const error = new CniError(ErrorCode.invalidNetworkConfig, `the call is larger than ${service.maxBody} bytes`)
    return send(response, 413, failure(error))
  }
  if (body === 'too late') {
    return send(response, 408, failure(new CniError(ErrorCode.tryAgainLater, 'the call did not arrive in time')))
  }
  const decoded = decodeCall(body)
  if (!service.isReady() && !isAlwaysServed(decoded)) {
    const code = decoded.env.CNI_COMMAND === 'STATUS' ? ErrorCode.pluginNotAvailable : ErrorCode.tryAgainLater
    return send(response, 503, failure(new CniError(code, `${service.plugin.name}: the daemon is not ready`)))
  }
  const { exitCode, stdout } = await run(decoded, response, service)
  if (!response.headersSent) await send(response, exitCode === 0 ? 200 : 400, stdout)
}

/** True for verbs that are always served, because pods must always be deletable. */
function isAlwaysServed({ env: { CNI_COMMAND } }: WireCall): boolean {
  return CNI_COMMAND === 'DEL' || CNI_COMMAND === 'VERSION'
}

async function run({ env, config }: WireCall, response: ServerResponse, service: Service) {
  const interrupt = new AbortController()
  const onClose = (): void => {
    if (!response.writableFinished) interrupt.abort(new Error('the client went away'))
  }
  service.running.add(interrupt)
  const halted = service.halted()
  if (halted !== undefined) interrupt.abort(halted)
  response.on('close', onClose)
  try {
    return await runPlugin(service.plugin, {
      env: { ...service.env, ...env },
      stdin: () => config,
      signal: interrupt.signal,
      stderr: (line) => service.stderr(line),
      async stdout(document) {
        await send(response, 200, document)
        if (!response.writableFinished) throw new Error('the client went away before it had the result')
      },
      ...(service.netns === undefined ? {} : { netns: service.netns }),
      ...(service.stateFolder === undefined ? {} : { stateFolder: service.stateFolder }),
    })
  } finally {
    service.running.delete(interrupt)
  }
}

/** Sends an HTTP answer. Resolves when the answer is sent, or when the connection is closed. */
function send(response: ServerResponse, status: number, body: string): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve()
    response.on('close', resolve)
    const type = body.startsWith('{') ? 'application/json' : 'text/plain; charset=utf-8'
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
    response.end(body, resolve)
  })
}

function failure(error: unknown): string {
  return encodeError({ cniVersion: CURRENT_VERSION, ...toErrorDocument(error) })
}
