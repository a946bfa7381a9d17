import { pluginInRuntime } from '@cni/installer'
import { messageOf } from '@cni/types'
import type { CriConfig } from '../part/services.ts'
import type { Check } from './checks.ts'

/**
 * Whether the container runtime runs the plugin, by its own words; nothing where it is not to be asked. A runtime that cannot
 * be asked is a warning: pods may well start with the plugin.
 */
export async function checkRuntime(
  config: CriConfig | undefined,
  { type, isInstalled }: { readonly type: string; readonly isInstalled: boolean },
): Promise<Check[]> {
  if (config === undefined) return []
  const { socket, chained } = config
  const check = { name: 'runtime', subject: socket }
  try {
    const { state, text } = await pluginInRuntime(socket, { type, chained })
    if (state !== 'missing') return [{ ...check, state: 'ok', detail: text }]
    // What is not installed is told by the checks before this one.
    if (!isInstalled) return [{ ...check, state: 'fail', detail: text }]
    return [{ ...check, state: 'fail', detail: `installed, but ${text}`, next: MISSING }]
  } catch (error) {
    return [{ ...check, state: 'warn', detail: `it cannot be asked: ${messageOf(error)}`, next: UNASKED }]
  }
}

const MISSING =
  'the container runtime: does it read --mounted-cni-net-dir, and which file there does it refuse? containerd loads none of them while one that sorts before the network is broken; systemctl restart containerd makes it read them again'
const UNASKED =
  "the runtime's socket: is --cri-socket where the runtime listens, mounted with its folder, and of root only?"
