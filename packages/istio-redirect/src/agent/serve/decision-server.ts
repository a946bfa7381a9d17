import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { messageOf } from '@cni/types'
import { ADD_PATH, type AddRequest, MAX_REQUEST, readRequest } from '../../serve/add-request.ts'
import { encodeAnswer, type ServeAnswer } from '../../serve/answer.ts'
import { Refusal } from '../../serve/refusal.ts'
import { bodyOf } from '../server/body-of.ts'
import { type BoundedOptions, boundsFor } from '../server/bounded-connections.ts'
import { boundedServer } from '../server/bounded-server.ts'
import { notFound, targetOf } from '../server/target.ts'
import { refused } from './answer-add.ts'
import { type ServingStatus, STATUS_PATH } from './serving-status.ts'

/** Options of {@link decisionServer}, the agent's HTTP server for the plugin. */
export interface DecisionServerOptions extends BoundedOptions {
  /** Version of the agent. The server refuses requests of a plugin of another version. */
  readonly version: string
  /** Decides about an ADD of the plugin. The signal aborts when the plugin has closed its connection. */
  readonly answer: (request: AddRequest, signal: AbortSignal) => Promise<ServeAnswer>
  /** Called for each answer to a plugin, with the duration in milliseconds. */
  readonly answered?: (answer: ServeAnswer, ms: number) => void
  readonly status: () => ServingStatus
}

/**
 * HTTP server for the plugin and `install-cni status`. Sends the response's head early to prove that the agent runs.
 */
export function decisionServer(options: DecisionServerOptions): Server {
  const { bounds = { ...boundsFor(MAX_WAITING), bytesOfOne: MAX_REQUEST } } = options
  return boundedServer(
    (request, response) => {
      const { path } = targetOf(request)
      if (path === ADD_PATH) return void answerTo(request, response, options)
      if (path !== STATUS_PATH) return notFound(request, response)
      request.resume()
      response.writeHead(200, JSON_TYPE).end(JSON.stringify(options.status()))
    },
    { ...options, bounds },
  )
}

// internal

/** Maximal number of waiting connections of plugins. When a node starts, all of its pods call the agent at once. */
const MAX_WAITING = 256

const JSON_TYPE = { 'content-type': 'application/json' }

async function answerTo(
  request: IncomingMessage,
  response: ServerResponse,
  { version, answer, answered }: DecisionServerOptions,
): Promise<void> {
  let body: string
  try {
    body = await bodyOf(request, { maxBytes: MAX_REQUEST })
  } catch {
    return void request.destroy()
  }
  const began = performance.now()
  response.writeHead(200, JSON_TYPE).flushHeaders()
  const left = new AbortController()
  response.once('close', () => left.abort(new Error('the plugin closed its connection')))
  const said = await decided(async () => answer(readRequest(body, version), left.signal))
  answered?.(said, performance.now() - began)
  response.end(encodeAnswer(said))
}

async function decided(decide: () => Promise<ServeAnswer>): Promise<ServeAnswer> {
  try {
    return await decide()
  } catch (error) {
    return refused(error instanceof Refusal ? error : new Refusal('internal', messageOf(error)))
  }
}
