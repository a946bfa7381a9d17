import { CniError, ErrorCode, encodeResult, isObject, messageOf, type Verb } from '@cni/types'
import type { PrevResult } from '../protocol/prev-result.ts'
import { readAttachments } from '../protocol/valid-attachments.ts'
import type { AttachmentKey } from '../state/attachment-key.ts'
import type { CallState } from '../state/call-state.ts'
import type { AcceptedCall } from './accepted-call.ts'
import { prevResult, tolerantPrevResult } from './call-prev-result.ts'
import {
  forgetAttachment,
  forgetStale,
  recordAttachment,
  removalOf,
  removeIfUninstalled,
  setKept,
} from './call-records.ts'
import { configuration, tolerantConfiguration } from './configuration.ts'
import { attachmentContext, callContext } from './handler-context.ts'
import { findNetns, refuseOwnNetns, requireNetns } from './namespace.ts'
import { noState } from './no-state.ts'
import type { UndoStep } from './undo.ts'

/** Map from a CNI verb to the function that performs a call. A verb without a handler succeeds. */
export const verbs: Readonly<Record<Verb, (accepted: AcceptedCall) => Promise<string>>> = {
  ADD,
  CHECK,
  DEL,
  GC,
  STATUS,
}

/** True for a CNI verb that a plugin can handle, false for VERSION and unknown verbs. */
export function isVerb(command: string): command is Verb {
  return Object.hasOwn(verbs, command)
}

async function ADD(accepted: AcceptedCall): Promise<string> {
  const { plugin, undo } = accepted.call
  // A plugin in JavaScript may have no handler `add`, despite the type.
  if (typeof plugin.add !== 'function') return ''
  const conf = await configuration(accepted, 'ADD')
  const prev = prevResult(accepted)
  const netns = requireNetns(accepted)
  refuseOwnNetns(netns, accepted)
  const context = { ...attachmentContext(accepted), netns, undo: (step: UndoStep) => undo.push(step) }
  const state = stateOf(accepted)
  recordAttachment(accepted, netns)
  return printed(await plugin.add({ ...context, prevResult: prev?.value, conf, state: state.strict }), accepted, prev)
}

function printed(result: unknown, { call: { plugin }, version }: AcceptedCall, prev: PrevResult | undefined): string {
  if (prev !== undefined && result === prev.value) return prev.print()
  if (isObject(result)) return encodeResult(result, version)
  throw new CniError(ErrorCode.internal, `${plugin.name}: the ADD handler returned no result`, {
    hint: 'return c.prevResult, or a result of its own',
  })
}

async function CHECK(accepted: AcceptedCall): Promise<string> {
  const { plugin } = accepted.call
  if (plugin.check === undefined) return ''
  const conf = await configuration(accepted, 'CHECK')
  const prev = prevResult(accepted)
  const netns = requireNetns(accepted)
  const state = stateOf(accepted)
  await plugin.check({
    ...attachmentContext(accepted),
    conf,
    netns,
    prevResult: prev?.value,
    state: state.strict,
  })
  return ''
}

async function DEL(accepted: AcceptedCall): Promise<string> {
  await deleteAttachment(accepted, () => tolerantConfiguration(accepted, 'DEL'))
  await removeIfUninstalled(accepted, accepted.environment)
  return ''
}

async function deleteAttachment(accepted: AcceptedCall, configured: () => unknown): Promise<void> {
  const { plugin } = accepted.call
  const state = stateOf(accepted)
  if (plugin.del !== undefined) {
    const conf: unknown = await configured()
    const netns = findNetns(accepted)
    setKept(accepted, netns)
    const prevResult = tolerantPrevResult(accepted)
    await plugin.del({ ...attachmentContext(accepted), conf, netns, prevResult, state: state.tolerant })
  }
  state.forget()
  forgetAttachment(accepted)
}

async function GC(accepted: AcceptedCall): Promise<string> {
  await collectGarbage(accepted)
  await removeIfUninstalled(accepted)
  return ''
}

async function collectGarbage(accepted: AcceptedCall): Promise<void> {
  const { plugin } = accepted.call
  const state = stateOf(accepted)
  if (plugin.gc === undefined && plugin.state === undefined && removalOf(plugin) === 'always') return
  const validAttachments = readAttachments(accepted.config.document)
  const ofNetwork = state.ofNetwork(validAttachments)
  if (plugin.gc !== undefined) {
    const conf = await configuration(accepted, 'GC')
    await plugin.gc({ ...callContext(accepted), conf, validAttachments, state: ofNetwork })
  } else if (plugin.state !== undefined && plugin.del !== undefined) {
    await deleteStale(accepted, ofNetwork.stale())
  }
  state.sweep(validAttachments)
  forgetStale(accepted, validAttachments)
}

/** Calls DEL for each stale attachment. A failed DEL keeps the attachment's state. */
async function deleteStale(
  accepted: AcceptedCall,
  stale: ReadonlyArray<Omit<AttachmentKey, 'network'>>,
): Promise<void> {
  if (stale.length === 0) return
  const { log, signal } = accepted.call
  const conf = await configuration(accepted, 'GC')
  const failures: unknown[] = []
  for (const { containerID, ifName } of stale) {
    signal.throwIfAborted()
    log.info('a stale attachment is deleted', { containerID, ifName })
    try {
      await deleteAttachment(ofAttachment(accepted, { containerID, ifName }), () => conf)
    } catch (error) {
      log.warn('a stale attachment could not be deleted', { containerID, ifName, reason: messageOf(error) })
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Derives a DEL call for one stale attachment from a GC call. The attachment's namespace is unknown. */
function ofAttachment(accepted: AcceptedCall, { containerID, ifName }: Omit<AttachmentKey, 'network'>): AcceptedCall {
  const { environment } = accepted
  const own = { CNI_COMMAND: 'DEL', CNI_CONTAINERID: containerID, CNI_IFNAME: ifName, CNI_NETNS: '' }
  const variables = { ...environment.variables, ...own }
  return { ...accepted, environment: { ...environment, command: 'DEL', containerID, ifName, netns: '', variables } }
}

async function STATUS(accepted: AcceptedCall): Promise<string> {
  const { plugin } = accepted.call
  if (plugin.status === undefined) return ''
  await plugin.status({ ...callContext(accepted), conf: await configuration(accepted, 'STATUS') })
  return ''
}

function stateOf({ call, environment, config }: AcceptedCall): CallState {
  const { plugin, io, log, undo } = call
  if (plugin.state === undefined) return noState(plugin.name)
  const { containerID, ifName } = environment
  return plugin.state.open({
    plugin: plugin.name,
    network: config.document.name,
    containerID,
    ifName,
    log,
    undo: undo.push,
    folder: io.stateFolder?.bind(io),
  })
}
