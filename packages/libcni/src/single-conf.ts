import { goStringify, type PluginConf } from '@cni/types'
import { type NetworkList, parseNetworkList } from './network-list.ts'

/** A single-plugin configuration as a list: its name and version move up, the plugin's object stays whole. */
export function listOfOne(plugin: PluginConf): NetworkList {
  const { name, cniVersion } = plugin
  return parseNetworkList(goStringify({ name, cniVersion, plugins: [plugin] }, { sortKeys: true }))
}
