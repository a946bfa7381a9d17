import { messageOf, type Verb } from '@cni/types'
import { validateConfig } from '../schema/validate.ts'
import { warnUnknownMembers } from '../schema/warn-unknown-members.ts'
import type { AcceptedCall } from './accepted-call.ts'

/**
 * Validates the configuration with the plugin's schema, and applies the plugin's log options.
 *
 * @throws {@link CniError} 7 for invalid members.
 */
export async function configuration(accepted: AcceptedCall, verb: Verb): Promise<unknown> {
  const { plugin, log } = accepted.call
  const { document } = accepted.config
  if (plugin.config === undefined) {
    openLog(accepted, verb, document)
    return document
  }
  const conf: unknown = await validateConfig(plugin.config, document)
  openLog(accepted, verb, conf)
  warnUnknownMembers(plugin.config, document, log)
  return conf
}

/** In a DEL, only logs invalid members: a failed DEL would leave the pod's address allocated. */
export async function tolerantConfiguration(accepted: AcceptedCall, verb: Verb): Promise<unknown> {
  try {
    return await configuration(accepted, verb)
  } catch (error) {
    openLog(accepted, verb, undefined)
    accepted.call.log.warn('the configuration is invalid, going on without it', { reason: messageOf(error) })
    return undefined
  }
}

// internal

function openLog({ call, environment, config }: AcceptedCall, command: Verb, conf: unknown): void {
  const { plugin, log, io } = call
  const { containerID } = environment
  try {
    log.open(plugin.log?.({ command, conf, networkName: config.document.name, containerID, env: io.env }))
  } catch (error) {
    log.open()
    log.warn('the plugin could not set up its log', { error })
  }
}
