import { CniError, ErrorCode, encodeResult, isObject } from '@cni/types'
import { readAttachments } from './attachments.ts'
import { findNetns, refuseOwnNetns, requireNetns } from './namespace.ts'
import type { Verb } from './plugin.ts'
import {
  attachmentContext,
  callContext,
  configuration,
  opened,
  prevResult,
  type Request,
  tolerantConfiguration,
  tolerantPrevResult,
} from './request.ts'

/** What each verb does with its request; the text is what belongs on stdout. A verb without a handler succeeds. */
export const verbs: Readonly<Record<Verb, (request: Request) => Promise<string>>> = { ADD, CHECK, DEL, GC, STATUS }

/** Whether a command is a verb that has a handler. */
export function isVerb(command: string): command is Verb {
  return Object.hasOwn(verbs, command)
}

async function ADD(request: Request): Promise<string> {
  const { plugin, undo } = request.call
  // Types ask for it; an object from elsewhere may lack it all the same.
  if (typeof plugin.add !== 'function') return ''
  const conf = await configuration(request, 'ADD')
  const prev = prevResult(request)
  const netns = opened(request, requireNetns(request.environment, request.port))
  refuseOwnNetns(netns, request.environment, request.port)
  const result: unknown = await plugin.add({
    ...attachmentContext(request),
    conf,
    netns,
    prevResult: prev?.value,
    undo: (step) => undo.push(step),
  })
  if (prev !== undefined && result === prev.value) return prev.print()
  if (isObject(result)) return encodeResult(result, request.version)
  throw new CniError(ErrorCode.internal, `${plugin.name}: the ADD handler returned no result`, {
    hint: 'return c.prevResult, or a result of its own',
  })
}

async function CHECK(request: Request): Promise<string> {
  const { plugin } = request.call
  if (plugin.check === undefined) return ''
  const conf = await configuration(request, 'CHECK')
  const prev = prevResult(request)
  const netns = opened(request, requireNetns(request.environment, request.port))
  await plugin.check({ ...attachmentContext(request), conf, netns, prevResult: prev?.value })
  return ''
}

async function DEL(request: Request): Promise<string> {
  const { plugin, log } = request.call
  if (plugin.del === undefined) return ''
  const conf = await tolerantConfiguration(request, 'DEL')
  const netns = findNetns(request.environment, request.port, log)
  if (netns !== undefined) opened(request, netns)
  await plugin.del({ ...attachmentContext(request), conf, netns, prevResult: tolerantPrevResult(request) })
  return ''
}

async function GC(request: Request): Promise<string> {
  const { plugin } = request.call
  if (plugin.gc === undefined) return ''
  const conf = await configuration(request, 'GC')
  const validAttachments = readAttachments(request.config.document)
  await plugin.gc({ ...callContext(request), conf, validAttachments })
  return ''
}

async function STATUS(request: Request): Promise<string> {
  const { plugin } = request.call
  if (plugin.status === undefined) return ''
  await plugin.status({ ...callContext(request), conf: await configuration(request, 'STATUS') })
  return ''
}
