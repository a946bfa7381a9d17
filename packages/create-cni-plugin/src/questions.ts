import { cancel, confirm, group, intro, select, text } from '@clack/prompts'
import { DEFAULTS } from './command-line.ts'
import { type Kind, nameProblem, type ProjectOptions, type Rules } from './options.ts'

/** Asks the user for missing options. Returns `undefined` if the user ends the input. */
export type Questions = (known: Known) => Promise<ProjectOptions | undefined>

type Known = { readonly [K in keyof ProjectOptions]?: ProjectOptions[K] | undefined }

interface Answered {
  readonly results: { readonly kind?: Kind }
}

class Cancelled extends Error {}

/** Asks on the terminal for the missing options of a new project. */
export const askOnTerminal: Questions = async (known) => {
  intro('A CNI plugin in TypeScript')
  const stop = () => {
    throw new Cancelled()
  }
  try {
    return await group(
      {
        name: () => (known.name === undefined ? askName() : Promise.resolve(known.name)),
        kind: () => (known.kind === undefined ? askKind() : Promise.resolve(known.kind)),
        rules: ({ results: { kind } }: Answered) =>
          known.rules === undefined && kind !== 'ipam' ? askRules() : Promise.resolve(known.rules),
        agent: ({ results: { kind } }: Answered) => {
          if (kind === 'ipam') return Promise.resolve(false)
          return known.agent === undefined ? askAgent() : Promise.resolve(known.agent)
        },
      },
      { onCancel: stop },
    )
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error
    cancel('Nothing was written.')
    return undefined
  }
}

const askName = () =>
  text({
    message: 'Name of the plugin',
    placeholder: 'my-plugin',
    validate: (name) => nameProblem(name ?? ''),
  })

const askKind = () =>
  select<Kind>({
    message: 'Kind of plugin',
    initialValue: DEFAULTS.kind,
    options: [
      { value: 'chained', label: 'chained', hint: "runs after the network's own plugins" },
      { value: 'main', label: 'main', hint: "creates the pod's interface, with addresses of an IPAM plugin" },
      { value: 'thick', label: 'thick', hint: 'chained, with a daemon that keeps state in memory' },
      { value: 'ipam', label: 'ipam', hint: 'gives addresses to main plugins such as bridge' },
    ],
  })

const askRules = () =>
  select<Rules>({
    message: 'Rules or routes that it writes into a pod',
    initialValue: DEFAULTS.rules,
    options: [
      { value: 'iptables', label: 'rules of iptables', hint: 'needs no program on the node' },
      { value: 'nftables', label: 'a table of nftables', hint: 'used by this plugin only' },
      { value: 'routes', label: 'routes' },
    ],
  })

const askAgent = () =>
  confirm({ message: 'Add an agent that keeps the plugin installed on nodes?', initialValue: DEFAULTS.agent })
