import { ConfigError } from './config-error.ts'
import type { Values } from './variables.ts'

/** Method of traffic redirection in ambient mode. The methods on the node are experimental. */
export const redirectModes = ['inpod', 'node-iptables', 'node-ebpf'] as const
export type RedirectMode = (typeof redirectModes)[number]

/**
 * Returns the redirect mode that the agent's settings select.
 *
 * @throws {@link ConfigError} if the settings contradict each other.
 */
export function redirectModeOf({
  ambientRedirectMode: given,
  ebpfEnabled,
}: Pick<Values, 'ambientRedirectMode' | 'ebpfEnabled'>): RedirectMode {
  const named = redirectModes.find((mode) => mode === given)
  if (!ebpfEnabled) return named ?? 'inpod'
  if (named === undefined || named === 'node-ebpf') return 'node-ebpf'
  throw new ConfigError(
    `AMBIENT_REDIRECT_MODE is ${named}, but EBPF_ENABLED asks for node-ebpf: unset EBPF_ENABLED, or set AMBIENT_REDIRECT_MODE to node-ebpf`,
  )
}
