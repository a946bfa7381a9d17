import { isObject, type JsonObject } from '@cni/types'
import { formatAddress, parsePrefix } from '@cni/types/ip'

/**
 * Addresses, without prefix lengths, that the configuration or CNI_ARGS request for the pod: `ipam.addresses` of the
 * static plugin, `runtimeConfig.ips`, `args.cni.ips`, `IP=`. If two pods get the same requested address, this is not a
 * fault of the plugin.
 */
export function addressesAskedFor(conf: JsonObject, args = ''): ReadonlySet<string> {
  const inArgs = args.split(';').flatMap((pair) => (/^ip=/i.test(pair) ? pair.slice(3).split(',') : []))
  return new Set([...inArgs, ...named(conf)].flatMap((text) => bare(text) ?? []))
}

/** Removes the prefix from an address, and formats the address as the kernel does. */
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
    // Treats only the members `address`, `addresses`, `ip` and `ips` as requests for a fixed address. A range or subnet
    // leaves a choice. A gateway is the address of another host.
    for (const [name, each] of Object.entries(value)) yield* named(each, /^(addresses|address|ips?)$/i.test(name))
  }
}
