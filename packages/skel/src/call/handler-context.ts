import { CniError, k8sArgs, messageOf, parseCniArgs } from '@cni/types'
import type { AttachmentContext, CallContext } from '../definition/context.ts'
import type { AcceptedCall } from './accepted-call.ts'

/** Builds the context members that handlers of every verb get. */
export function callContext(
  { call, environment, raw, config, version }: AcceptedCall,
  args: ReadonlyMap<string, string> = parseCniArgs(environment.args),
): CallContext {
  return {
    plugin: call.plugin.name,
    networkName: config.document.name,
    cniVersion: version,
    args,
    k8s: k8sArgs(args),
    path: environment.path,
    env: environment.variables,
    raw,
    log: call.log,
    signal: call.signal,
    hold(resource) {
      if (resource !== undefined) call.held.push(resource)
      return resource
    },
  }
}

/**
 * Builds the context members that handlers of ADD, CHECK and DEL get.
 *
 * @throws {@link CniError} 999 if `CNI_ARGS` does not match the plugin's grammar.
 */
export function attachmentContext(accepted: AcceptedCall): AttachmentContext {
  const { containerID, ifName } = accepted.environment
  return { ...callContext(accepted, cniArgs(accepted)), containerID, ifName }
}

/** DEL ignores invalid pairs of `CNI_ARGS`, because a failed DEL would leave the pod's address allocated. */
function cniArgs({ call: { plugin, log }, environment }: AcceptedCall): ReadonlyMap<string, string> {
  const { args: grammar = 'tolerant' } = plugin
  if (grammar === 'tolerant') return parseCniArgs(environment.args)
  try {
    const known = { ...KUBERNETES_ARGS, ...(grammar === 'strict' ? {} : grammar) }
    return parseCniArgs(environment.args, { strict: true, known })
  } catch (error) {
    if (environment.command !== 'DEL') throw error
    log.warn('CNI_ARGS is invalid, going on with what can be read', { reason: messageOf(error) })
    return parseCniArgs(environment.args)
  }
}

const KUBERNETES_ARGS = {
  K8S_POD_NAMESPACE: 'string',
  K8S_POD_NAME: 'string',
  K8S_POD_UID: 'string',
  K8S_POD_INFRA_CONTAINER_ID: 'string',
} as const
