import { askDaemon } from '@cni/skel/daemon'
import { readStatus, type ServingStatus, STATUS_PATH } from '../serve/serving-status.ts'

const TIMEOUT_MS = 1000

/**
 * Requests the status of the agent over the agent's serving socket.
 *
 * @throws `Error` with a short reason if there is no valid answer.
 */
export async function askStatus(path: string): Promise<ServingStatus> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const { answer, reason } = await askDaemon(path, { path: STATUS_PATH, body: '', signal, begunWithin: TIMEOUT_MS })
  if (answer === undefined) throw new Error(signal.aborted ? 'no answer' : reason)
  try {
    return readStatus(answer)
  } catch (cause) {
    throw new Error('the answer is not the status of this agent', { cause })
  }
}
