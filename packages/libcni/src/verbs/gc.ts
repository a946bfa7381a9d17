import { execPlugin } from '@cni/invoke'
import type { PluginConf, ValidAttachment } from '@cni/types'
import { errorLine } from '@cni/types'
import { listCachedAttachments } from '../cache/cache.ts'
import { staleAttachments } from '../cache/stale.ts'
import { deriveConf, encodeConf } from '../derive.ts'
import { RuntimeError } from '../errors.ts'
import { knowsGcAndStatus } from '../gates.ts'
import type { NetworkList } from '../network-list.ts'
import { type Operation, pluginOptions } from '../runtime.ts'
import { delNetwork } from './del.ts'

/** Runs DEL for stale cached attachments, and afterwards GC of every plugin. */
export async function collectGarbage(
  op: Operation,
  list: NetworkList,
  validAttachments: readonly ValidAttachment[],
): Promise<void> {
  if (list.conflist.disableGC) return
  const failures: RuntimeError[] = []
  const cached = listCachedAttachments(op.cacheDir)
  for (const stale of staleAttachments(list.conflist.name, cached, validAttachments)) {
    const what = `failed to delete stale attachment ${stale.containerID} ${stale.ifName}`
    await collecting(failures, what, () => delNetwork(op, list, stale))
  }
  if (knowsGcAndStatus(list.conflist)) {
    for (const plugin of list.conflist.plugins) {
      const what = `failed to GC plugin ${plugin.type}`
      await collecting(failures, what, () => collectOne(op, list, plugin, validAttachments))
    }
  }
  if (failures.length === 0) return
  const message = failures.map((failure) => failure.message).join('\n')
  throw new RuntimeError('GC', message, { cause: new AggregateError(failures, message) })
}

async function collectOne(
  op: Operation,
  { conflist }: NetworkList,
  plugin: PluginConf,
  validAttachments: readonly ValidAttachment[],
): Promise<void> {
  const path = op.exec.find(plugin.type, op.path)
  const conf = deriveConf(conflist, plugin, { command: 'GC', validAttachments })
  await execPlugin(path, encodeConf(conf), pluginOptions(op, 'GC', {}))
}

async function collecting(failures: RuntimeError[], what: string, body: () => Promise<void>): Promise<void> {
  try {
    await body()
  } catch (cause) {
    failures.push(new RuntimeError('GC', `${what}: ${errorLine(cause)}`, { cause }))
  }
}
