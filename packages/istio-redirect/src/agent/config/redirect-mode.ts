import { ConfigError } from './config-error.ts'
import type { Values } from './variables.ts'

/**
 * Where traffic of pods in an ambient mesh is redirected. `inpod`: in their own namespaces. `node-iptables`: on the node,
 * by marks and tunnels; `node-ebpf`: on their links, by programs. The latter two are those of Istio 1.19, and experimental.
 */
export const redirectModes = ['inpod', 'node-iptables', 'node-ebpf'] as const
export type RedirectMode = (typeof redirectModes)[number]

/**
 * The mode that the settings ask for.
 *
 * @throws {@link ConfigError} when they contradict each other.
 */
export function redirectModeOf({
  ambientRedirectMode: given,
  ebpfEnabled,
}: Pick<Values, 'ambientRedirectMode' | 'ebpfEnabled'>): RedirectMode {
  const named = redirectModes.find((mode) => mode === given)
  if (!ebpfEnabled) return named ?? 'inpod'
  if (named === undefined || named === 'node-ebpf') return 'node-ebpf'
  throw new ConfigError(
    `AMBIENT_REDIRECT_MODE is ${named}, but EBPF_ENABLED asks for node-ebpf: unset EBPF_ENABLED, or let both say node-ebpf`,
  )
}
