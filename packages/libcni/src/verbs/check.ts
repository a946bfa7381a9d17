import { execPlugin } from '@cni/invoke'
import { errorLine } from '@cni/types'
import type { Attachment } from '../attachment.ts'
import { readCachedResult } from '../cache/cache.ts'
import { deriveConf, encodeConf } from '../derive.ts'
import { RuntimeError } from '../errors.ts'
import { assertCheckSupported } from '../gates.ts'
import type { NetworkList } from '../network-list.ts'
import { argsOf, type Operation, pluginOptions } from '../runtime.ts'

/** Runs CHECK of every plugin of a list, with the cached result of ADD. */
export async function checkNetwork(op: Operation, { conflist }: NetworkList, rt: Attachment): Promise<void> {
  const { name, cniVersion = '' } = conflist
  assertCheckSupported(conflist)
  if (conflist.disableCheck) return
  const prevResult = cachedResult(op, name, rt, cniVersion)
  for (const plugin of conflist.plugins) {
    const path = op.exec.find(plugin.type, op.path)
    const conf = deriveConf(conflist, plugin, { command: 'CHECK', prevResult, capabilityArgs: rt.capabilityArgs })
    await execPlugin(path, encodeConf(conf), pluginOptions(op, 'CHECK', argsOf(rt)))
  }
}

function cachedResult(op: Operation, network: string, rt: Attachment, version: string): unknown {
  try {
    return readCachedResult(op.cacheDir, { ...rt, network }, version)
  } catch (cause) {
    throw new RuntimeError('CACHE', `failed to get network "${network}" cached result: ${errorLine(cause)}`, {
      cause,
      hint: 'the runtime lost what ADD returned: run DEL and ADD again',
    })
  }
}
