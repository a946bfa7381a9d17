import { printable, quote } from '@cni/types'
import type { LoadedNetwork, RuntimeAnswer } from './runtime-answer.ts'

/** Plugin to find in the networks of a container runtime. */
export interface WantedPlugin {
  readonly type: string
  /** True if the plugin is in a plugin list. False if another plugin calls this plugin by name. */
  readonly chained: boolean
}

/**
 * State of the plugin in a container runtime:
 * - `loaded`: the default network has the plugin.
 * - `missing`: the plugin does not run.
 * - `silent`: unknown, because the runtime does not report plugins.
 */
export type RuntimeState = 'loaded' | 'missing' | 'silent'

/** State of the plugin in a container runtime, with the reason. */
export interface RuntimeVerdict {
  readonly state: RuntimeState
  /** Reason for the state: one line of limited length, without control characters. */
  readonly text: string
}

/** Determines the state of the installed plugin from the networks that a container runtime reports. */
export function judgeRuntime(answer: RuntimeAnswer, { type, chained }: WantedPlugin): RuntimeVerdict {
  const { networkReady, reason, loaded, runtime = 'the container runtime' } = answer
  const lastLoad = loaded?.error === undefined ? '' : `; its last load failed: ${excerpt(loaded.error)}`
  const missing = (why: string): RuntimeVerdict => ({
    state: 'missing',
    text: `${runtime} runs without it: ${why}${lastLoad}`,
  })
  if (networkReady === false) return missing(`its network is not ready: ${excerpt(reason) || 'it gives no reason'}`)
  if (loaded === undefined || !chained) {
    const limit = chained ? 'it does not say which plugins it has loaded' : 'the plugin has a file of its own'
    return { state: 'silent', text: `the network of ${runtime} is ready; ${limit}${lastLoad}` }
  }
  const network = loaded.networks.find(isOfPods)
  if (network === undefined) return missing(`it has loaded no network from ${quote(loaded.folder)}`)
  if (network.types.includes(type)) {
    return { state: 'loaded', text: `${runtime} runs the plugin in network ${quote(network.name)}${lastLoad}` }
  }
  return missing(`its network ${quote(network.name)} has ${listed(network.types)}`)
}

// internal

/** True for a network of pods, false for the loopback network. */
const isOfPods = ({ interfaceName, types }: LoadedNetwork): boolean =>
  interfaceName !== 'lo' && types.some((type) => type !== 'loopback')

const listed = (types: readonly string[]): string => {
  const more = types.length - SHOWN
  return `${types.slice(0, SHOWN).map(quote).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Maximum number of plugin types that a message lists. */
const SHOWN = 5

/** Shortens a text from the container runtime for a log line. */
const excerpt = (words: string): string => {
  const line = printable(words).trim()
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line
}

const MAX_LENGTH = 300
