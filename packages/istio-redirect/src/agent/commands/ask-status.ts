import { connect, type Socket } from 'node:net'
import { frameReader } from '../../serve/frame.ts'
import { MAX_ANSWER } from '../../serve/protocol.ts'
import { readStatus, type ServingStatus, statusQuestion } from '../serve/serving-status.ts'

const TIMEOUT_MS = 1000

/**
 * Asks the agent that listens on a serving socket how it is.
 *
 * @throws `Error`: a few words on why there is no answer.
 */
export async function askStatus(path: string): Promise<ServingStatus> {
  const socket = connect({ path })
  try {
    return await answerOn(socket)
  } finally {
    socket.destroy()
  }
}

// internal

function answerOn(socket: Socket): Promise<ServingStatus> {
  return new Promise((resolve, reject) => {
    const reader = frameReader(MAX_ANSWER)
    // For all of it: an answer may also drip.
    AbortSignal.timeout(TIMEOUT_MS).addEventListener('abort', () => reject(new Error('no answer')))
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
