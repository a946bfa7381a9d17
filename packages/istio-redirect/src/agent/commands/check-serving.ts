import { connect, type Socket } from 'node:net'
import { VERSION } from '@cni/host/cli'
import { messageOf } from '@cni/types'
import { FrameReader } from '../../serve/frame.ts'
import { MAX_ANSWER } from '../../serve/protocol.ts'
import { readStatus, type ServingStatus, statusQuestion } from '../serve/serving-status.ts'
import type { ServeConfig } from '../services.ts'
import type { Check } from './checks.ts'

const TIMEOUT_MS = 1000

/**
 * Whether the plugin's calls are served, how, and why not. Never a failure: a plugin that is not served decides by itself,
 * and takes longer.
 */
export async function checkServing(config: ServeConfig | undefined): Promise<Check> {
  const check = (state: Check['state'], subject: string, detail: string): Check => ({
    name: 'serving',
    state,
    subject,
    detail,
  })
  if (config === undefined) return check('ok', 'off', `SERVE_PLUGIN is false: ${ALONE}`)
  const { socket } = config
  try {
    const { version, pods, problem = '' } = await ask(socket)
    if (version !== VERSION) return check('warn', socket, `the agent is of version ${version}, not ${VERSION}`)
    if (pods === 'watched') return check('ok', socket, 'pods are watched')
    return check('warn', socket, `each pod takes a request: ${problem}`)
  } catch (error) {
    return check('warn', socket, `${messageOf(error)}: ${ALONE}`)
  }
}

const ALONE = 'the plugin decides by itself'

async function ask(path: string): Promise<ServingStatus> {
  const socket = connect({ path })
  try {
    return await answerOn(socket)
  } finally {
    socket.destroy()
  }
}

function answerOn(socket: Socket): Promise<ServingStatus> {
  return new Promise((resolve, reject) => {
    const reader = new FrameReader(MAX_ANSWER)
    socket.setTimeout(TIMEOUT_MS, () => reject(new Error('no answer')))
    socket.once('connect', () => socket.write(statusQuestion()))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Error(PROBLEMS[error.code ?? ''] ?? error.message, { cause: error }))
    })
    // After an error or an answer this says nothing new.
    socket.once('close', () => reject(new Error('the agent closed the connection')))
    socket.on('data', (piece: Buffer) => {
      try {
        const frame = reader.push(piece)
        if (frame !== undefined) resolve(readStatus(frame))
      } catch (cause) {
        reject(new Error('what listens is another agent', { cause }))
      }
    })
  })
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ECONNREFUSED: 'nobody listens',
  EACCES: 'only root may connect',
}
