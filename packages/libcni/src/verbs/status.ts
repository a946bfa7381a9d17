import { execPlugin } from '@cni/invoke'
import { deriveConf, encodeConf } from '../derive.ts'
import { knowsGcAndStatus } from '../gates.ts'
import type { NetworkList } from '../network-list.ts'
import { type Operation, pluginOptions } from '../runtime.ts'

/** Runs STATUS of every plugin. Versions before 1.1.0 have no STATUS. */
export async function networkStatus(op: Operation, { conflist }: NetworkList): Promise<void> {
  if (!knowsGcAndStatus(conflist)) return
  for (const plugin of conflist.plugins) {
    const path = op.exec.find(plugin.type, op.path)
    const conf = deriveConf(conflist, plugin, { command: 'STATUS' })
    await execPlugin(path, encodeConf(conf), pluginOptions(op, 'STATUS', {}))
  }
}
