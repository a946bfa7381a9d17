import { VERSION } from '@cni/host/cli'
import { messageOf } from '@cni/types'
import type { ServeConfig } from '../part/services.ts'
import type { ServingStatus } from '../serve/serving-status.ts'
import { askStatus } from './ask-status.ts'
import type { Check } from './checks.ts'

/** What the agent answered, or why it did not; `undefined` where it is not to serve. */
export type ServingAnswer =
  | { readonly socket: string; readonly status: ServingStatus }
  | { readonly socket: string; readonly problem: string }
  | undefined

/** Asks the agent for its status over its serving socket. */
export async function askServing(config: ServeConfig | undefined): Promise<ServingAnswer> {
  if (config === undefined) return undefined
  const { socket } = config
  try {
    return { socket, status: await askStatus(socket) }
  } catch (error) {
    return { socket, problem: messageOf(error) }
  }
}

/**
 * Whether the plugin's calls are served, how, and why not. Never a failure: a plugin that is not served decides by itself,
 * and takes longer.
 */
export function checkServing(answer: ServingAnswer): Check {
  const check = (state: Check['state'], subject: string, detail: string): Check => ({
    name: 'serving',
    state,
    subject,
    detail,
  })
  if (answer === undefined) return check('ok', 'off', `SERVE_PLUGIN is false: ${ALONE}`)
  if ('problem' in answer) return check('warn', answer.socket, `${answer.problem}: ${ALONE}`)
  const { version, pods, problem = '' } = answer.status
  if (version !== VERSION) return check('warn', answer.socket, `the agent is of version ${version}, not ${VERSION}`)
  if (pods === 'watched') return check('ok', answer.socket, 'pods are watched')
  return check('warn', answer.socket, `each pod takes a request: ${problem}`)
}

/** Whether the agent may look at its DaemonSet, which it is told by when it has to stop; nothing where it may, or nobody says. */
export function checkUpgrade(answer: ServingAnswer): Check[] {
  if (answer === undefined || 'problem' in answer || answer.status.upgrade === undefined) return []
  return [{ name: 'upgrade', state: 'warn', subject: '', detail: answer.status.upgrade, next: LOOK }]
}

const LOOK = 'the rights of the agent: "get" on the DaemonSet, and on nodes where it chooses them by their labels'
const ALONE = 'the plugin decides by itself'
