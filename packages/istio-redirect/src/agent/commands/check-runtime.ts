import { pluginInRuntime } from '@cni/installer'
import { messageOf } from '@cni/types'
import type { CriConfig } from '../shared/deps.ts'
import type { Check } from './checks.ts'

/** Checks that the container runtime runs the plugin. A failed query causes only a warning. */
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
    // Suggests no next step if the plugin is missing: the checks of the installation suggest a step.
    if (!isInstalled) return [{ ...check, state: 'fail', detail: text }]
    return [{ ...check, state: 'fail', detail: `installed, but ${text}`, next: MISSING }]
  } catch (error) {
    return [{ ...check, state: 'warn', detail: `the query failed: ${messageOf(error)}`, next: UNASKED }]
  }
}

const MISSING =
  'container runtime: check that it reads --mounted-cni-net-dir, and which file there it refuses; containerd loads no file while a file that sorts before the network is broken; systemctl restart containerd reloads the files'
const UNASKED =
  "runtime's socket: check that --cri-socket is the path on which the runtime listens, mounted with its folder and accessible to root only"
