import { basename } from 'node:path'
import { execPlugin, type PluginResult, readResult } from '@cni/invoke'
import { assertContainerID, assertIfName, assertNetworkName, errorLine, type PluginConf } from '@cni/types'
import type { Attachment } from '../attachment.ts'
import { writeCache } from '../cache/cache.ts'
import { deriveConf, encodeConf } from '../derive.ts'
import { RuntimeError } from '../errors.ts'
import type { NetworkList } from '../network-list.ts'
import { argsOf, describePlugin, type Operation, pluginOptions } from '../runtime.ts'

/** Runs ADD of every plugin. Undoes nothing after a failure: the caller must run DEL. */
export async function addNetwork(op: Operation, list: NetworkList, rt: Attachment): Promise<PluginResult> {
  const { conflist } = list
  let result: PluginResult | undefined
  for (const [pluginIndex, plugin] of conflist.plugins.entries()) {
    try {
      result = await addOne(op, list, rt, plugin, result)
    } catch (cause) {
      const message = `plugin ${describePlugin(plugin)} failed (add): ${errorLine(cause)}`
      throw new RuntimeError('PLUGIN', message, { cause, pluginIndex })
    }
  }
  if (result === undefined) throw new RuntimeError('INVALID_CONFIG', `network "${conflist.name}" has no plugins`)
  try {
    writeCache(op.cacheDir, { name: conflist.name, text: list.text }, rt, result.document)
  } catch (cause) {
    const message = `failed to set network "${conflist.name}" cached result: ${errorLine(cause)}`
    throw new RuntimeError('CACHE', message, {
      cause,
      hint: 'the interface is up, but CHECK and DEL will not know its result: fix the cache folder, then run DEL',
    })
  }
  return result
}

async function addOne(
  op: Operation,
  { conflist }: NetworkList,
  rt: Attachment,
  plugin: PluginConf,
  previous: PluginResult | undefined,
): Promise<PluginResult> {
  const path = op.exec.find(plugin.type, op.path)
  assertContainerID(rt.containerID)
  assertNetworkName(conflist.name)
  assertIfName(rt.ifName)
  const conf = deriveConf(conflist, plugin, {
    command: 'ADD',
    prevResult: previous?.document,
    capabilityArgs: rt.capabilityArgs,
  })
  const stdout = await execPlugin(path, encodeConf(conf), pluginOptions(op, 'ADD', argsOf(rt)))
  return readResult(basename(path), stdout, conflist.cniVersion || '0.1.0')
}
