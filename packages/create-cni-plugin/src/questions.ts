import { cancel, confirm, group, intro, select, text } from '@clack/prompts'
import { DEFAULTS } from './command-line.ts'
import { type Kind, nameProblem, type ProjectOptions, type Rules } from './options.ts'

/** Asks for what is not known yet; `undefined`: the person went away. */
export type Questions = (known: Known) => Promise<ProjectOptions | undefined>

type Known = { readonly [K in keyof ProjectOptions]?: ProjectOptions[K] | undefined }

interface Answered {
  readonly results: { readonly kind?: Kind }
}

class Cancelled extends Error {}

/** On the terminal. */
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
    message: 'What is it called?',
    placeholder: 'my-plugin',
    validate: (name) => nameProblem(name ?? ''),
  })

const askKind = () =>
  select<Kind>({
    message: 'What is it to its network?',
    initialValue: DEFAULTS.kind,
    options: [
      { value: 'chained', label: 'chained', hint: "works behind the network's own plugins" },
      { value: 'main', label: 'main', hint: "makes the pod's interface, with addresses of an IPAM plugin" },
      { value: 'thick', label: 'thick', hint: 'chained, with a daemon that remembers' },
      { value: 'ipam', label: 'ipam', hint: 'gives addresses to main plugins such as bridge' },
    ],
  })

const askRules = () =>
  select<Rules>({
    message: 'What does it write into a pod?',
    initialValue: DEFAULTS.rules,
    options: [
      { value: 'iptables', label: 'rules of iptables', hint: 'needs no program on the node' },
      { value: 'nftables', label: 'a table of nftables', hint: 'its own, whole' },
      { value: 'routes', label: 'routes' },
    ],
  })

const askAgent = () =>
  confirm({ message: 'With an agent that keeps it installed on nodes?', initialValue: DEFAULTS.agent })
