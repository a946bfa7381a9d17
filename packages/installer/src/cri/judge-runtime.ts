import { printable, quote } from '@cni/types'
import type { LoadedNetwork, RuntimeAnswer } from './runtime-answer.ts'

/** Plugin to find in the runtime. */
export interface WantedPlugin {
  readonly type: string
  /**
   * `false` if the plugin has its own file, which another plugin names. The runtime's default network does not contain
   * it then.
   */
  readonly chained: boolean
}

/**
 * State of the plugin in a runtime:
 * - `loaded`: the list of its default network has the plugin.
 * - `missing`: it runs pods without the plugin, or no pods.
 * - `silent`: its network is ready, but it does not report its plugins.
 */
export type RuntimeState = 'loaded' | 'missing' | 'silent'

/** Meaning of an answer for the plugin. */
export interface RuntimeVerdict {
  readonly state: RuntimeState
  /** Reason: one line of limited length, without characters that act on a terminal. */
  readonly text: string
}

/** Compares the networks that a runtime has loaded with the installed plugin. */
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

/** True for the network of the pods. Excludes the loopback network. */
const isOfPods = ({ interfaceName, types }: LoadedNetwork): boolean =>
  interfaceName !== 'lo' && types.some((type) => type !== 'loopback')

const listed = (types: readonly string[]): string => {
  const more = types.length - SHOWN
  return `${types.slice(0, SHOWN).map(quote).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Maximum number of plugins in a message. */
const SHOWN = 5

/** Shortens a runtime's text. A file's path and its error usually fit. */
const excerpt = (words: string): string => {
  const line = printable(words).trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
}

const LONGEST = 300
