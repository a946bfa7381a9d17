import { debugFor } from '@cni/host/debug'
import { CniError, ErrorCode, messageOf, netConfVersion } from '@cni/types'
import { supportedVersions } from '../definition/plugin.ts'
import { type PluginIo, readInput } from '../io.ts'
import { readEnvironment } from '../protocol/environment.ts'
import { decodeNetworkConfig } from '../protocol/network-config.ts'
import { reconcileVersion } from '../protocol/reconcile.ts'
import type { Call } from './call.ts'
import { machine } from './namespace.ts'
import { isVerb, verbs } from './verbs.ts'

/** Performs one CNI call. Checks the input in the order of the Go implementation, to report the same error. */
export async function dispatch(call: Call): Promise<string> {
  const { plugin, io } = call
  const environment = readEnvironment(io.env)
  const { command } = environment
  const raw = await readStdin(io)
  const config = decodeNetworkConfig(raw)
  if (typeof config.document.cniVersion === 'string') call.cniVersion = config.document.cniVersion
  if (!isVerb(command)) throw new CniError(ErrorCode.invalidEnvironment, `unknown CNI_COMMAND: ${command}`)
  const version = netConfVersion(config.document)
  reconcileVersion(command, version, supportedVersions(plugin))
  const { containerID, netns, ifName } = environment
  debugFor('skel')?.(command, {
    plugin: plugin.name,
    network: config.document.name,
    version,
    containerID,
    netns,
    ifName,
  })
  return verbs[command]({ call, environment, raw, config, version, port: io.netns ?? machine })
}

async function readStdin(io: PluginIo): Promise<Uint8Array> {
  try {
    return await readInput(io)
  } catch (cause) {
    throw new CniError(ErrorCode.ioFailure, `error reading from stdin: ${messageOf(cause)}`, { cause })
  }
}
