import { execPlugin } from '@cni/invoke'
import { errorLine } from '@cni/types'
import type { Attachment } from '../attachment.ts'
import { cacheFile, readCachedResult, removeCache } from '../cache/cache.ts'
import { deriveConf, encodeConf } from '../derive.ts'
import { RuntimeError } from '../errors.ts'
import { delKnowsResult } from '../gates.ts'
import type { NetworkList } from '../network-list.ts'
import { argsOf, describePlugin, type Operation, pluginOptions } from '../runtime.ts'

/**
 * DEL of every plugin, the last one first, each with the remembered result of ADD if there is a readable one. The
 * first failure ends it, or with `continue` is thrown after the others, and the result stays remembered; otherwise it is
 * forgotten. Running it again is fine.
 */
export async function delNetwork(
  op: Operation,
  { conflist }: NetworkList,
  rt: Attachment,
  onDelError: 'stop' | 'continue' = 'stop',
): Promise<void> {
  const { name, cniVersion = '' } = conflist
  const key = { ...rt, network: name }
  cacheFile(op.cacheDir, key)
  const prevResult = delKnowsResult(conflist) ? rememberedResult(op, key, cniVersion) : undefined
  let failure: RuntimeError | undefined
  for (const plugin of conflist.plugins.toReversed()) {
    // No time is left for another plugin.
    if (failure !== undefined && op.invoke.signal?.aborted) break
    try {
      const path = op.exec.find(plugin.type, op.path)
      const conf = deriveConf(conflist, plugin, { command: 'DEL', prevResult, capabilityArgs: rt.capabilityArgs })
      await execPlugin(path, encodeConf(conf), pluginOptions(op, 'DEL', argsOf(rt)))
    } catch (cause) {
      const message = `plugin ${describePlugin(plugin)} failed (delete): ${errorLine(cause)}`
      failure ??= new RuntimeError('PLUGIN', message, { cause })
      if (onDelError === 'stop') break
    }
  }
  if (failure !== undefined) throw failure
  forget(op, key)
}

type Key = Attachment & { readonly network: string }

/** A result that cannot be read must not keep a container from going away (containernetworking/cni#1055). */
function rememberedResult(op: Operation, key: Key, version: string): unknown {
  try {
    return readCachedResult(op.cacheDir, key, version)
  } catch {
    forget(op, key)
    return undefined
  }
}

function forget(op: Operation, key: Key): void {
  try {
    removeCache(op.cacheDir, key)
  } catch {
    // The container is gone; a file that stays is GC's business.
  }
}
