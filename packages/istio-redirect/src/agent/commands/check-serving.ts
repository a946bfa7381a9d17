import { VERSION } from '@cni/host/cli'
import { askDaemon } from '@cni/skel/daemon'
import { readStatus, type ServingStatus, STATUS_PATH } from '../serve/serving-status.ts'
import type { ServeConfig } from '../shared/deps.ts'
import { type Check, checksOf } from './checks.ts'

/**
 * Status of the agent, or the reason why the status cannot be read. `undefined` if the settings turn the socket off.
 */
export type ServingAnswer =
  | { readonly socket: string; readonly status: ServingStatus }
  | { readonly socket: string; readonly problem: string }
  | undefined

/** Requests the status of the agent over its serving socket. */
export async function askServing(config: ServeConfig | undefined): Promise<ServingAnswer> {
  if (config === undefined) return undefined
  const { socket } = config
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const { answer, reason } = await askDaemon(socket, { path: STATUS_PATH, body: '', signal, begunWithin: TIMEOUT_MS })
  if (answer === undefined) return { socket, problem: signal.aborted ? 'no answer' : reason }
  try {
    return { socket, status: readStatus(answer) }
  } catch {
    return { socket, problem: 'the answer is not the status of this agent' }
  }
}

/** Checks that the agent serves the plugin's calls. Only warns, because the plugin also works without the agent. */
export function checkServing(answer: ServingAnswer): Check {
  const check = checksOf('serving')
  if (answer === undefined) return check('ok', 'off', `SERVE_PLUGIN is false: ${ALONE}`)
  if ('problem' in answer) return check('warn', answer.socket, `${answer.problem}: ${ALONE}`)
  const { version, pods, problem = '' } = answer.status
  if (version !== VERSION) return check('warn', answer.socket, `the agent has version ${version}, not ${VERSION}`)
  if (pods === 'watched') return check('ok', answer.socket, 'pods are watched')
  return check('warn', answer.socket, `each pod needs an API request: ${problem}`)
}

/** Warns if the agent cannot read its own DaemonSet, because a stopping agent needs the permission. */
export function checkUpgrade(answer: ServingAnswer): Check[] {
  if (answer === undefined || 'problem' in answer || answer.status.upgrade === undefined) return []
  return [{ name: 'upgrade', state: 'warn', subject: '', detail: answer.status.upgrade, next: GRANT_HINT }]
}

const GRANT_HINT =
  'permissions of the agent: grant "get" on the DaemonSet, and on nodes if the DaemonSet selects them by labels'
const TIMEOUT_MS = 1000
const ALONE = 'the plugin decides by itself'
