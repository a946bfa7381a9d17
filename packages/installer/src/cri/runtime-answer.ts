import { quote } from '@cni/types'
import * as z from 'zod/mini'
import { CriError } from './cri-error.ts'
import type { StatusMessage } from './status-message.ts'

/** What a container runtime says of its network. The texts are the runtime's own: bound and escape them to print them. */
export interface RuntimeAnswer {
  /** `undefined`: the answer does not tell. CRI-O and cri-dockerd answer alike. */
  readonly runtime: 'containerd' | undefined
  /** The condition `NetworkReady`; `undefined`: there is none. */
  readonly networkReady: boolean | undefined
  /** Why the network is not ready; may be empty. */
  readonly reason: string
  /** What is loaded, the loopback network too; `undefined`: the runtime does not say. Only containerd does. */
  readonly loaded: LoadedNetworks | undefined
}

/** The networks that a runtime has in memory. */
export interface LoadedNetworks {
  /** The folder that the runtime reads, as the runtime names it. */
  readonly folder: string
  readonly networks: readonly LoadedNetwork[]
  /** The error of the last time the runtime read its folder. */
  readonly error: string | undefined
}

/** One list that a runtime has loaded. */
export interface LoadedNetwork {
  readonly name: string
  /** Such as `eth0`. */
  readonly interfaceName: string
  /** Types of the plugins in their order; those that Multus delegates to follow Multus. */
  readonly types: readonly string[]
}

/**
 * The answer in a StatusResponse.
 *
 * @throws {@link CriError} for one that is not valid.
 */
export function runtimeAnswer({ conditions, info }: StatusMessage): RuntimeAnswer {
  const network = conditions.find(({ type }) => type === 'NetworkReady')
  const config = info.get('cniconfig')
  const lastLoad = info.get('lastCNILoadStatus.default') ?? info.get('lastCNILoadStatus')
  return {
    runtime: config === undefined && lastLoad === undefined ? undefined : 'containerd',
    networkReady: network?.status,
    reason: [network?.reason, network?.message].filter((part) => part !== undefined && part !== '').join(': '),
    loaded:
      config === undefined
        ? undefined
        : { ...readConfig(config), error: lastLoad === undefined || lastLoad === 'OK' ? undefined : lastLoad },
  }
}

// internal

const namedPlugin = z.object({ type: z.nullish(z.string()) })

/** As Go prints it: an empty list may be `null`, an empty text absent. */
const configSchema = z.object({
  PluginConfDir: z.nullish(z.string()),
  Networks: z.nullish(
    z.array(
      z.object({
        IFName: z.nullish(z.string()),
        Config: z.object({
          Name: z.nullish(z.string()),
          Plugins: z.nullish(z.array(z.object({ Network: namedPlugin, Source: z.nullish(z.string()) }))),
        }),
      }),
    ),
  ),
})

/** Multus copies the node's network into its own entry: a plugin, or a whole list. */
const multusSchema = z.object({
  type: z.string().check(z.startsWith('multus')),
  delegates: z.array(z.object({ type: z.nullish(z.string()), plugins: z.nullish(z.array(namedPlugin)) })),
})

function readConfig(text: string): Omit<LoadedNetworks, 'error'> {
  const config = fromJson(text, configSchema)
  if (config === undefined) throw new CriError(`its cniconfig is not what containerd answers: ${quote(text)}`)
  return {
    folder: config.PluginConfDir ?? '',
    networks: (config.Networks ?? []).map(({ IFName, Config: { Name, Plugins } }) => ({
      name: Name ?? '',
      interfaceName: IFName ?? '',
      types: (Plugins ?? []).flatMap(({ Network, Source }) => typesOf([Network, ...delegatesIn(Source ?? '')])),
    })),
  }
}

const delegatesIn = (source: string) =>
  (fromJson(source, multusSchema)?.delegates ?? []).flatMap((delegate) => [delegate, ...(delegate.plugins ?? [])])

const typesOf = (plugins: readonly z.infer<typeof namedPlugin>[]): string[] => plugins.flatMap(({ type }) => type ?? [])

function fromJson<T>(text: string, schema: z.ZodMiniType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    // no JSON
    return undefined
  }
}
