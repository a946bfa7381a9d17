import type { Netns } from '@cni/netns/handle'
import { CniError, ErrorCode, k8sArgs, parseCniArgs, type Result } from '@cni/types'
import type { Call } from './call.ts'
import type { AttachmentContext, CallContext } from './context.ts'
import type { Environment } from './environment.ts'
import type { NetnsPort } from './io.ts'
import type { NetworkConfig } from './network-config.ts'
import type { Verb } from './plugin.ts'
import { type PrevResult, readPrevResult } from './prev-result.ts'
import { schemaOf } from './schema/schema-of.ts'
import { unknownMembers, validateConfig } from './schema/validate.ts'

/** A call whose environment, configuration and version have been accepted. */
export interface Request {
  readonly call: Call
  readonly environment: Environment
  readonly raw: Uint8Array
  readonly config: NetworkConfig
  readonly version: string
  readonly port: NetnsPort
}

/** The part of the context all verbs share. */
export function callContext(
  { call, environment, raw, config, version }: Request,
  args: ReadonlyMap<string, string> = parseCniArgs(environment.args),
): CallContext {
  return {
    plugin: call.plugin.name,
    networkName: config.document.name,
    cniVersion: version,
    args,
    k8s: k8sArgs(args),
    path: environment.path,
    env: call.io.env,
    raw,
    log: call.log,
    signal: call.signal,
  }
}

/**
 * What ADD, CHECK and DEL have in addition.
 *
 * @throws {@link CniError} 999 when `CNI_ARGS` is not as the plugin asks for.
 */
export function attachmentContext(request: Request): AttachmentContext {
  const { containerID, ifName } = request.environment
  return { ...callContext(request, cniArgs(request)), containerID, ifName }
}

/** DEL goes on with what can be read: a failing DEL keeps the pod's address taken. */
function cniArgs({ call: { plugin, log }, environment }: Request): ReadonlyMap<string, string> {
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

/**
 * The configuration as the plugin's schema makes it, and from here on the log as the plugin wants it.
 *
 * @throws {@link CniError} 7 when its members are invalid.
 */
export async function configuration(request: Request, verb: Verb): Promise<unknown> {
  const { plugin, log } = request.call
  const { document } = request.config
  const schema = await schemaOf(plugin)
  const conf = schema === undefined ? document : await validateConfig(schema, document)
  openLog(request, verb, conf)
  const unknown = schema === undefined ? [] : unknownMembers(schema, document)
  if (unknown.length > 0) log.debug('the configuration has members this plugin does not know', { members: unknown })
  return conf
}

/** The same for DEL: a failing DEL keeps the pod's address taken, so an invalid member is only logged. */
export async function tolerantConfiguration(request: Request, verb: Verb): Promise<unknown> {
  try {
    return await configuration(request, verb)
  } catch (error) {
    openLog(request, verb, undefined)
    request.call.log.warn('the configuration is invalid, going on without it', { reason: messageOf(error) })
    return undefined
  }
}

/**
 * The result of the plugins before, for ADD and CHECK.
 *
 * @throws {@link CniError} 999 when it cannot be read, 7 when a chained plugin gets none.
 */
export function prevResult({ call: { plugin }, config, version }: Request): PrevResult | undefined {
  const prev = readPrevResult(config, version)
  if (prev !== undefined || plugin.chained !== true) return prev
  throw new CniError(ErrorCode.invalidNetworkConfig, `prevResult: missing, ${plugin.name} is a chained plugin`, {
    hint: 'it must not be the first in the list of plugins',
  })
}

/** The same for DEL, where no result and an unreadable one are alike. */
export function tolerantPrevResult({ call, config, version }: Request): Result | undefined {
  try {
    return readPrevResult(config, version)?.value
  } catch (error) {
    call.log.warn('prevResult is unreadable, going on without it', { reason: messageOf(error) })
    return undefined
  }
}

/** Leaves a handle to the call, which closes it when it is over. */
export function opened({ call }: Request, netns: Netns): Netns {
  call.opened.push(netns)
  return netns
}

function openLog({ call, environment, config }: Request, command: Verb, conf: unknown): void {
  const { plugin, log, io } = call
  const { containerID } = environment
  try {
    log.open(plugin.log?.({ command, conf, networkName: config.document.name, containerID, env: io.env }))
  } catch (error) {
    log.open()
    log.warn('the plugin could not set up its log', { error })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
