import { pluginEnv } from '@cni/invoke'
import {
  assertContainerID,
  assertIfName,
  assertNetworkName,
  type Conflist,
  type PluginConf,
  type ValidAttachment,
} from '@cni/types'
import type { Attachment } from './attachment.ts'
import { type Derivation, deriveConf } from './derive.ts'
import { assertCheckSupported, delKnowsResult, knowsGcAndStatus } from './gates.ts'
import { argsOf } from './runtime.ts'

/** Operation whose plugin calls are to be planned. `prevResult` is the cached result, in the list's version. */
export type PlanRequest = { readonly path: readonly string[] } & (
  | { readonly command: 'ADD'; readonly rt: Attachment }
  | { readonly command: 'CHECK' | 'DEL'; readonly rt: Attachment; readonly prevResult?: unknown }
  | {
      readonly command: 'GC'
      readonly validAttachments: readonly ValidAttachment[]
      /** Cached attachments that the GC deletes because they are no longer valid. */
      readonly stale: ReadonlyArray<{ readonly rt: Attachment; readonly prevResult?: unknown }>
    }
  | { readonly command: 'STATUS' }
)

/** Plugin calls that an operation would make, in order. */
export interface Plan {
  readonly command: PlanRequest['command']
  readonly network: string
  readonly cniVersion: string
  readonly calls: ReadonlyArray<{
    readonly command: PlanRequest['command']
    readonly type: string
    readonly name?: string
    /** The six environment variables of the plugin call that begin with `CNI_`. */
    readonly env: Readonly<Record<string, string>>
    /**
     * Configuration that the plugin gets on stdin; `encodeConf` encodes it. In a planned ADD, the configurations lack
     * `prevResult`, because it is not known before the call.
     */
    readonly conf: Readonly<Record<string, unknown>>
    /** Source of the configuration's `prevResult`. `plugin before` means the result of the previous plugin. */
    readonly prevResult?: 'cache' | 'plugin before'
  }>
  /**
   * Reasons why the operation skips plugin calls: a member of the list such as `disableCheck`, or the list's version.
   */
  readonly notes: readonly string[]
}

type PlannedCall = Plan['calls'][number]

/**
 * Plans the plugin calls of an operation: environment and configuration for each plugin. Pure: neither searches for
 * plugins nor calls them.
 *
 * @throws the error with which the operation would fail before its first plugin call.
 *
 * @example
 * ```ts
 * const { calls } = planNetwork(list.conflist, { command: 'ADD', rt, path: ['/opt/cni/bin'] })
 * calls.map(({ type, conf }) => `${type} ${encodeConf(conf)}`)
 * ```
 */
export function planNetwork(conflist: Conflist, request: PlanRequest): Plan {
  const { name: network, cniVersion = '' } = conflist
  return { command: request.command, network, cniVersion, ...steps(conflist, request) }
}

function steps(conflist: Conflist, request: PlanRequest): Pick<Plan, 'calls' | 'notes'> {
  const { path } = request
  switch (request.command) {
    case 'ADD':
      assertContainerID(request.rt.containerID)
      assertNetworkName(conflist.name)
      assertIfName(request.rt.ifName)
      return { calls: addCalls(conflist, request.rt, path), notes: [] }
    case 'CHECK': {
      assertCheckSupported(conflist)
      if (conflist.disableCheck) return { calls: [], notes: ['the list has disableCheck: CHECK runs nothing'] }
      const { rt, prevResult } = request
      return {
        calls: conflist.plugins.map((one) => withResult('CHECK', conflist, one, rt, path, prevResult)),
        notes: [],
      }
    }
    case 'DEL':
      return { calls: delCalls(conflist, request.rt, path, request.prevResult), notes: [] }
    case 'GC': {
      if (conflist.disableGC) return { calls: [], notes: ['the list has disableGC: GC runs nothing'] }
      const { validAttachments, stale } = request
      const deletions = stale.flatMap(({ rt, prevResult }) => delCalls(conflist, rt, path, prevResult))
      if (!knowsGcAndStatus(conflist)) {
        const note =
          'the list is older than cniVersion 1.1.0: plugins are not asked for GC, only stale attachments deleted'
        return { calls: deletions, notes: [note] }
      }
      const asks = conflist.plugins.map((one) => call(conflist, one, { command: 'GC', validAttachments }, {}, path))
      return { calls: [...deletions, ...asks], notes: [] }
    }
    case 'STATUS': {
      if (!knowsGcAndStatus(conflist)) {
        return { calls: [], notes: ['the list is older than cniVersion 1.1.0: STATUS runs nothing'] }
      }
      return { calls: conflist.plugins.map((one) => call(conflist, one, { command: 'STATUS' }, {}, path)), notes: [] }
    }
  }
}

function addCalls(conflist: Conflist, rt: Attachment, path: readonly string[]): PlannedCall[] {
  const derivation = { command: 'ADD', capabilityArgs: rt.capabilityArgs } as const
  return conflist.plugins.map((plugin, index) => ({
    ...call(conflist, plugin, derivation, argsOf(rt), path),
    ...(index === 0 ? {} : { prevResult: 'plugin before' as const }),
  }))
}

function delCalls(conflist: Conflist, rt: Attachment, path: readonly string[], cachedResult: unknown): PlannedCall[] {
  const prevResult = delKnowsResult(conflist) ? cachedResult : undefined
  return conflist.plugins.toReversed().map((plugin) => withResult('DEL', conflist, plugin, rt, path, prevResult))
}

function withResult(
  command: 'CHECK' | 'DEL',
  conflist: Conflist,
  plugin: PluginConf,
  rt: Attachment,
  path: readonly string[],
  prevResult: unknown,
): PlannedCall {
  const derivation = { command, prevResult, capabilityArgs: rt.capabilityArgs }
  return {
    ...call(conflist, plugin, derivation, argsOf(rt), path),
    ...(prevResult === undefined || prevResult === null ? {} : { prevResult: 'cache' as const }),
  }
}

function call(
  conflist: Conflist,
  plugin: PluginConf,
  derivation: Derivation,
  args: ReturnType<typeof argsOf>,
  path: readonly string[],
): PlannedCall {
  const { command } = derivation
  return {
    command,
    type: plugin.type,
    ...(typeof plugin.name === 'string' && plugin.name !== '' ? { name: plugin.name } : {}),
    env: pluginEnv(command, { ...args, path }, {}),
    conf: deriveConf(conflist, plugin, derivation),
  }
}
