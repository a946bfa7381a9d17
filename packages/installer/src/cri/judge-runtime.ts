import { printable, quote } from '@cni/types'
import type { LoadedNetwork, RuntimeAnswer } from './runtime-answer.ts'

/** Which plugin is looked for. */
export interface WantedPlugin {
  readonly type: string
  /** `false`: the plugin has a file of its own, which another plugin names. The runtime's default network is without it. */
  readonly chained: boolean
}

/**
 * - `loaded`: the runtime has the plugin in the list of its default network
 * - `missing`: it runs pods without the plugin, or none at all
 * - `silent`: its network is ready, and that is all it says
 */
export type RuntimeState = 'loaded' | 'missing' | 'silent'

/** What an answer means for the plugin. */
export interface RuntimeVerdict {
  readonly state: RuntimeState
  /** The reason: one line, bounded, without anything a terminal would act on. */
  readonly text: string
}

/** Compares what a runtime has loaded with what is installed. */
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

/** The first network that is not the loopback of each pod. */
const isOfPods = ({ interfaceName, types }: LoadedNetwork): boolean =>
  interfaceName !== 'lo' && types.some((type) => type !== 'loopback')

const listed = (types: readonly string[]): string => {
  const more = types.length - SHOWN
  return `${types.slice(0, SHOWN).map(quote).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Plugins of a list in one line. */
const SHOWN = 5

/** As much of a runtime's own words as a file's path and its fault take. */
const excerpt = (words: string): string => {
  const line = printable(words).trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
}

const LONGEST = 300
