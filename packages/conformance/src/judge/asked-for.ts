import { isObject, type JsonObject } from '@cni/types'
import { formatAddress, parsePrefix } from '@cni/types/ip'

/**
 * The addresses, without prefixes, that a configuration or CNI_ARGS name: `ipam.addresses` of the static plugin,
 * `runtimeConfig.ips`, `args.cni.ips`, `IP=`. Whoever asks for an address gets it, for every pod.
 */
export function addressesAskedFor(conf: JsonObject, args = ''): ReadonlySet<string> {
  const inArgs = args.split(';').flatMap((pair) => (/^ip=/i.test(pair) ? pair.slice(3).split(',') : []))
  return new Set([...inArgs, ...named(conf)].flatMap((text) => bare(text) ?? []))
}

/** An address without its prefix, in the kernel's spelling. */
export function bare(address: string): string | undefined {
  const prefix = parsePrefix(address)
  return prefix && formatAddress(prefix.bytes)
}

function* named(value: unknown, wanted = false): Generator<string> {
  if (typeof value === 'string') {
    if (wanted) yield value
  } else if (Array.isArray(value)) {
    for (const each of value) yield* named(each, wanted)
  } else if (isObject(value)) {
    // A range or a subnet is to choose from, a gateway is somebody else's.
    for (const [name, each] of Object.entries(value)) yield* named(each, /^(addresses|address|ips?)$/i.test(name))
  }
}
