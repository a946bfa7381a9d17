import { readFileSync } from 'node:fs'
import { defaultProbeSource, type PodCapture } from '../../../src/ambient/pod-rules.ts'

/** Istio's default ambient capture of a pod without annotations. */
export const everything: PodCapture = {
  ipv6: true,
  dnsCapture: true,
  bypassInbound: false,
  virtualInterfaces: [],
  probeSource: defaultProbeSource,
}

/** Capture settings for which golden files with Istio's rules exist, by the files' name. */
export const captures: readonly { readonly name: string; readonly capture: PodCapture }[] = [
  { name: 'default', capture: everything },
  { name: 'no-dns', capture: { ...everything, dnsCapture: false } },
  { name: 'bypass', capture: { ...everything, bypassInbound: true } },
  { name: 'bypass-no-dns', capture: { ...everything, bypassInbound: true, dnsCapture: false } },
  { name: 'virtual', capture: { ...everything, virtualInterfaces: ['virt0', 'virt1'] } },
  { name: 'virtual-bypass', capture: { ...everything, bypassInbound: true, virtualInterfaces: ['virt0'] } },
]

/** Reads the golden output of `iptables-save` or `ip6tables-save`, with the tables in alphabetical order. */
export const listing = (name: string, family: 'ipv4' | 'ipv6'): string =>
  readFileSync(new URL(`${name}.${family}.txt`, import.meta.url), 'utf8')

/** Reads the golden output of `nft list ruleset` in the pod, for native rules. */
export const nativeListing = (name: string): string => readFileSync(new URL(`${name}.nft.txt`, import.meta.url), 'utf8')

/**
 * Capture settings for which golden files with Istio's native nftables rules exist, besides the golden files for
 * iptables.
 */
export const nativeCaptures: typeof captures = [
  ...captures,
  { name: 'no-ipv6', capture: { ...everything, ipv6: false } },
]
